import { describe, expect, test } from 'vitest'
import { isKnownHost, unknownHost } from './known-host.ts'

const names = {
  listening: 'factotum.lan',
  publicUrl: 'https://agent.example.org:8443/base',
  allowedHosts: ['api.internal', 'Other.Internal.'],
}

describe('isKnownHost', () => {
  test.each([
    undefined,
    'localhost',
    'localhost:4000',
    'app.localhost:4000',
    'LocalHost.',
    '127.0.0.1:4000',
    '[::1]:4000',
    '10.1.2.3',
    '203.0.113.9:80',
    'factotum.lan:4000',
    'agent.example.org',
    'agent.example.org:443',
    'api.internal:4000',
    'other.internal',
  ])('%s is known', (host) => {
    expect(isKnownHost(host, names)).toBe(true)
  })

  test.each([
    'evil.example',
    'evil.example:4000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'notlocalhost',
    'x.api.internal',
    'evil.example@localhost',
    'localhost/evil.example',
    'evil.example#localhost',
    'evil.example\\localhost',
    'a b',
    '',
    ':4000',
    'x'.repeat(400),
  ])('"%s" is not', (host) => {
    expect(isKnownHost(host, names)).toBe(false)
  })

  test('what is listened on everywhere is no name', () => {
    expect(isKnownHost('evil.example', { listening: '0.0.0.0', publicUrl: null, allowedHosts: [] })).toBe(false)
    expect(isKnownHost('evil.example', { listening: '::', publicUrl: null, allowedHosts: [] })).toBe(false)
  })
})

test('what to do about it names the setting', () => {
  expect(unknownHost('evil.example:4000')).toContain('"evil.example". If people reach it under that name')
  expect(unknownHost('evil.example')).toContain('operator has to allow')
})
