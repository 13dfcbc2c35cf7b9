import { describe, expect, test } from 'vitest'
import type { Viewer } from '../core/identity.ts'
import { namespaceAllows, seesAllSessions } from './session-access.ts'

const connector: Viewer = { tokenName: 'bot', tokenKind: 'CONNECTOR', namespace: null, user: null, role: 'USER' }
const confined: Viewer = { ...connector, namespace: 'discord' }
const user: Viewer = {
  tokenName: 'phone',
  tokenKind: 'USER',
  namespace: null,
  user: { name: 'anna', role: 'USER' },
  role: 'USER',
}
const admin: Viewer = { ...user, user: { name: 'marco', role: 'ADMIN' }, role: 'ADMIN' }

describe('which sessions a viewer may touch', () => {
  test('only users of role USER must participate', () => {
    expect([connector, confined, admin, user].map(seesAllSessions)).toEqual([true, true, true, false])
  })

  test.each([
    ['discord:1', true],
    ['discord:', true],
    ['discord', false],
    ['discord2:1', false],
    ['Discord:1', false],
    ['web:discord:1', false],
  ])('a namespace allows %s: %s', (sessionId, allowed) => {
    expect(namespaceAllows(confined, sessionId)).toBe(allowed)
    expect([connector, user, admin].every((viewer) => namespaceAllows(viewer, sessionId))).toBe(true)
  })
})
