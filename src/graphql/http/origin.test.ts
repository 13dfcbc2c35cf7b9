import { expect, test } from 'vitest'
import { Origins } from './origin.ts'

function make({ production = true, listed = [] as readonly string[] } = {}) {
  const lines: string[] = []
  let now = 0
  const origins = new Origins({
    config: {
      current: () => ({ settings: { corsOrigins: listed, publicUrl: 'https://through-a-proxy.example' } }),
    } as never,
    production,
    clock: { monotonicMs: () => now },
    logger: { warn: (_fields: object, line: string) => void lines.push(line) } as never,
  })
  return { origins, lines, wait: (ms: number) => (now += ms) }
}

test.each([
  [undefined, true],
  ['http://here:4000', true],
  ['https://app.example', true],
  ['https://through-a-proxy.example', true],
  ['https://evil.example', false],
  ['https://app.example.evil.example', false],
  ['http://localhost:5173', false],
  ['null', false],
  ['evil', false],
])('in production a page of %s may connect: %s', (origin, may) => {
  const { origins } = make({ listed: ['https://app.example'] })
  expect(origins.isAllowed(origin, 'here:4000')).toBe(may)
})

test.each([
  ['http://localhost:5173', true],
  ['https://app.localhost', true],
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
  ['http://localhost.evil.example', false],
  ['http://127.0.0.1.evil.example', false],
  ['file://localhost', false],
  ['http://192.168.0.2:3000', false],
])('outside production a page of %s may: %s', (origin, may) => {
  const { origins } = make({ production: false })
  expect(origins.isAllowed(origin, 'here:4000')).toBe(may)
  expect(origins.corsFor(origin, 'here:4000') !== false).toBe(may)
})

test('a refused origin is logged once a minute, with what to add', () => {
  const { origins, lines, wait } = make()
  for (let n = 0; n < 5; n += 1) origins.corsFor('https://mine.example', 'here:4000')
  origins.isAllowed('https://mine.example', 'here:4000')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('add "https://mine.example" to cors_origins')
  wait(60_000)
  origins.isAllowed('https://mine.example', 'here:4000')
  expect(lines).toHaveLength(2)
  expect(origins.corsFor('http://here:4000', 'here:4000')).toBe(false)
  expect(lines).toHaveLength(2)
})

test('thousands of origins do not fill the log', () => {
  const { origins, lines } = make()
  for (let n = 0; n < 5000; n += 1) origins.isAllowed(`https://${n}.example`, 'here')
  expect(lines).toHaveLength(20)
})
