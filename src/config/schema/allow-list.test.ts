import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import { allowsAddress, allowsHost, isAllowListEntry } from './allow-list.ts'

describe('what an entry may be', () => {
  test.each(['connector', 'Connector.lan', 'connector.lan.', '10.1.2.3', '10.0.0.0/8', '::1', 'fd00::/8', 'my_host-1'])(
    '%s',
    (entry) => expect(isAllowListEntry(entry)).toBe(true),
  )
  test.each([
    '',
    ' ',
    '*',
    '*.lan',
    'https://a.example',
    'a.example:8080',
    'a/b',
    '10.0.0.0/33',
    '300.1.1.1',
    '1',
    '[::1]',
  ])('not "%s"', (entry) => expect(isAllowListEntry(entry)).toBe(false))
})

test('a host is allowed by its whole name, whatever its case and final dot', () => {
  expect(allowsHost(['Connector.lan'], 'connector.LAN.')).toBe(true)
  expect(allowsHost(['connector.lan'], 'evil.connector.lan')).toBe(false)
  expect(allowsHost(['10.0.0.1'], '10.0.0.1')).toBe(false)
})

test('an address is allowed by itself or its range', () => {
  const allows = (entry: string, address: string): boolean => allowsAddress([entry], ipaddr.process(address))
  expect(allows('10.0.0.1', '10.0.0.1')).toBe(true)
  expect(allows('10.0.0.1', '10.0.0.2')).toBe(false)
  expect(allows('10.1.0.0/16', '10.1.255.255')).toBe(true)
  expect(allows('10.1.0.0/16', '10.2.0.0')).toBe(false)
  expect(allows('::1', '127.0.0.1')).toBe(false)
  expect(allows('127.0.0.1', '::ffff:127.0.0.1')).toBe(true)
  expect(allows('fd00::/8', 'fd12::1')).toBe(true)
  expect(allows('localhost', '127.0.0.1')).toBe(false)
})
