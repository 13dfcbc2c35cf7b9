import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSessionId } from '../core/session-id.ts'
import { newSessionId, sourceIssues, sourceOf } from './session-source.ts'

test.each([
  ['cli:demo', 'cli'],
  ['telegram:2026-11-21-x', 'telegram'],
  ['schedule:a:b', 'schedule'],
  ['plain', 'api'],
  [':odd', 'api'],
  [`${'x'.repeat(65)}:long`, 'api'],
])('the id %s tells the kind %s', (id, kind) => {
  expect(sourceOf(id)).toEqual({ kind, interactive: true, platform: null, triggerId: null })
})

test('what the client says comes before what the id tells', () => {
  const given = { kind: 'slack', interactive: false, platform: 'Slack', triggerId: 't' }
  expect(sourceOf('cli:demo', given)).toEqual(given)
})

test('every source that is accepted gives an id that is one', () => {
  fc.assert(
    fc.property(fc.option(fc.string(), { nil: null }), (kind) => {
      fc.pre(kind === null || sourceIssues({ kind }).length === 0)
      expect(isSessionId(newSessionId(null, kind === null ? null : { kind }))).toBe(true)
    }),
  )
})
