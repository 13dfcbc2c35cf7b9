import { describe, expect, test } from 'vitest'
import type { Config } from '../../../config/config.ts'
import type { AuditBody } from '../../../core/audit-entry.ts'
import { ERASED } from '../../../core/text/erased.ts'
import type { Actor } from './actor.ts'
import { actorNamed, auditActor, openerNamed } from './to-actor.ts'

const config: Pick<Config, 'users'> = {
  users: new Map([['anna', { name: 'anna', role: 'USER', skills: [], tools: [], aliases: new Map(), declared: true }]]),
}

/** As GraphQL will name it: the brand is a symbol of Pothos. */
function shown(actor: Actor): string {
  const [brand] = Object.getOwnPropertySymbols(actor).map((key) => Reflect.get(actor, key) as unknown)
  return `${String(brand)} ${actor.name}`
}

test.each([
  ['anna', 'User anna'],
  ['dora', 'FormerUser dora'],
  ['curator', 'ServerPart curator'],
  [ERASED, `Stranger ${ERASED}`],
])('"%s" is %s', (name, expected) => {
  expect(shown(actorNamed(config, name))).toBe(expected)
})

test('who opened a session is a user, a former one or a connector', () => {
  const openers = ['@anna', '@dora', 'discord', 'curator', '@[erased]'].map((openedBy) =>
    shown(openerNamed(config, openedBy)),
  )
  expect(openers).toEqual([
    'User anna',
    'FormerUser dora',
    'Connector discord',
    'Connector curator',
    'Stranger [erased]',
  ])
})

describe('an entry of the audit without a name', () => {
  const entry = (tokenName: string | null, body: AuditBody): string => {
    const nobody = { id: 'aud_1', at: new Date(0), sessionId: null, turnId: null, actor: null }
    return shown(auditActor(config, { ...nobody, tokenName, body }))
  }
  const denied = (reason: 'UNKNOWN_TOKEN' | 'FORBIDDEN') =>
    ({ kind: 'ACCESS_DENIED', field: 'x', reason, count: 1 }) as const

  test.each([
    ['ServerPart server', null, { kind: 'CONFIG', change: 'RELOADED', detail: '' } as const],
    ['Connector discord', 'discord', { kind: 'SESSION', change: 'OPENED', detail: null } as const],
    ['Connector discord', 'discord', denied('FORBIDDEN')],
    // A token that was revoked may be in anybody's hands.
    ['Stranger ', 'anna', denied('UNKNOWN_TOKEN')],
    ['Stranger ', null, denied('FORBIDDEN')],
  ])('is %s, with token %s', (expected, tokenName, body) => {
    expect(entry(tokenName, body)).toBe(expected)
  })
})
