import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSessionId, namespaceOf } from '../../core/session/session-id.ts'
import { newSessionId, sourceIssues, sourceOf } from './session-source.ts'

test.each([
  ['cli:demo', 'cli'],
  ['telegram:2026-11-21-x', 'telegram'],
  ['schedule:a:b', 'schedule'],
  ['plain', 'api'],
  ['@anna:web:1', 'web'],
  ['@anna:plain', 'api'],
  ['@anna', 'api'],
  [':odd', 'api'],
  [`${'x'.repeat(65)}:long`, 'api'],
])('the id %s tells the kind %s', (id, kind) => {
  expect(sourceOf(id)).toEqual({ kind, interactive: true, platform: null, triggerId: null, type: 'DIRECT' })
})

test('what the client says comes before what the id tells', () => {
  const given = { kind: 'slack', interactive: false, platform: 'Slack', triggerId: 't', type: 'GROUP' } as const
  expect(sourceOf('cli:demo', given)).toEqual(given)
})

test('every source that is accepted gives an id that is one', () => {
  fc.assert(
    fc.property(fc.option(fc.string(), { nil: null }), (kind) => {
      fc.pre(kind === null || sourceIssues(null, { kind }).length === 0)
      const id = newSessionId('@anna', kind ?? undefined, new Date())
      expect(isSessionId(id)).toBe(true)
      expect(namespaceOf(id)).toBe('@anna')
    }),
  )
})

test.each([
  ['@anna', 'cli', /^@anna:cli:[0-9a-f]{32}$/],
  ['@anna', 'web', /^@anna:web:[0-9a-f]{32}$/],
  ['@anna', 'telegram', /^@anna:telegram:2026-11-21-[0-9a-f]{32}$/],
  ['@anna', undefined, /^@anna:api:[0-9a-f]{32}$/],
  ['discord', undefined, /^discord:2026-11-21-[0-9a-f]{32}$/],
  ['slack', undefined, /^slack:2026-11-21-[0-9a-f]{32}$/],
  ['tg-bot', 'telegram', /^tg-bot:2026-11-21-[0-9a-f]{32}$/],
  ['telegram', 'web', /^telegram:[0-9a-f]{32}$/],
])('in the namespace %s the kind %s makes ids by convention', (namespace, kind, expected) => {
  expect(newSessionId(namespace, kind, new Date('2026-11-21T23:59:59.999Z'))).toMatch(expected)
})

test.each([
  [null, 1],
  ['web:1', 1],
  ['schedule:sched_1', 0],
])('the kind of schedules is theirs: with the id %s there are %i issues', (id, count) => {
  expect(sourceIssues(id, { kind: 'schedule' })).toHaveLength(count)
})
