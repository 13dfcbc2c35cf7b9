import { expect, test } from 'vitest'
import { hostAddresses, isDatabaseAddress } from './database-address.ts'

test.each([
  ['postgres://u:p@a:1/d', ['postgres://u:p@a:1/d']],
  [
    'postgresql://u:p%40w@a:1,b,[::1]:3/d?sslmode=require',
    ['a:1', 'b', '[::1]:3'].map((host) => `postgresql://u:p%40w@${host}/d?sslmode=require`),
  ],
  ['postgres://a,b/d', ['postgres://a/d', 'postgres://b/d']],
  ['postgres:///d?host=/run/postgresql', ['postgres:///d?host=/run/postgresql']],
  ['nonsense', ['nonsense']],
])('%s names its hosts', (address, each) => expect(hostAddresses(address)).toEqual(each))

test.each([
  ['postgres://u:p@a:1,b:2/d?target_session_attrs=read-write', true],
  ['postgres://u:p@a:1,b:2/d?target_session_attrs=primary', true],
  ['postgres://u:p@a:1,b:2/d?target_session_attrs=any', false],
  ['postgres://u:p@a:1,b:port/d', false],
  ['postgres://u:p@a:1,,b/d', false],
  ['mysql://a/d', false],
])('%s: %s', (address, isOne) => expect(isDatabaseAddress(address)).toBe(isOne))
