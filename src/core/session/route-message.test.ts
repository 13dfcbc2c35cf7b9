/** The rule of group routing, by a table of who says what, and where. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Sender } from '../identity.ts'
import { isAddressed, startsTurn } from './route-message.ts'

const name = fc.string()
const admin = name.map((who): Sender => ({ trusted: true, name: who, role: 'ADMIN' }))
const user = name.map((who): Sender => ({ trusted: true, name: who, role: 'USER' }))
const stranger = name.map((who): Sender => ({ trusted: false, name: who }))

/** Who starts a turn in a group, and what one person says to the agent. */
const TABLE = [
  { type: 'GROUP', from: 'admin', senders: admin, mentioned: true, turn: true, addressed: true },
  { type: 'GROUP', from: 'admin', senders: admin, mentioned: false, turn: true, addressed: false },
  { type: 'GROUP', from: 'user', senders: user, mentioned: true, turn: true, addressed: true },
  { type: 'GROUP', from: 'user', senders: user, mentioned: false, turn: false, addressed: false },
  { type: 'GROUP', from: 'stranger', senders: stranger, mentioned: true, turn: false, addressed: true },
  { type: 'GROUP', from: 'stranger', senders: stranger, mentioned: false, turn: false, addressed: false },
  { type: 'DIRECT', from: 'admin', senders: admin, mentioned: true, turn: true, addressed: true },
  { type: 'DIRECT', from: 'admin', senders: admin, mentioned: false, turn: true, addressed: true },
  { type: 'DIRECT', from: 'user', senders: user, mentioned: true, turn: true, addressed: true },
  { type: 'DIRECT', from: 'user', senders: user, mentioned: false, turn: true, addressed: true },
  { type: 'DIRECT', from: 'stranger', senders: stranger, mentioned: true, turn: false, addressed: true },
  { type: 'DIRECT', from: 'stranger', senders: stranger, mentioned: false, turn: false, addressed: true },
] as const

describe('a message', () => {
  test.each(TABLE)(
    '$type, of a(n) $from, mentioned $mentioned: turn $turn',
    ({ senders, turn, addressed, ...directed }) => {
      fc.assert(
        fc.property<[Sender]>(senders, (sender) => {
          expect(startsTurn({ ...directed, sender })).toBe(turn)
          expect(isAddressed(directed)).toBe(addressed)
        }),
      )
    },
  )

  test("that starts a turn unaddressed is an admin's, in a group, whatever the names", () => {
    const types = fc.constantFrom('DIRECT' as const, 'GROUP' as const)
    fc.assert(
      fc.property(types, fc.oneof(admin, user, stranger), fc.boolean(), (type, sender, mentioned) => {
        fc.pre(startsTurn({ type, sender, mentioned }) && !isAddressed({ type, mentioned }))
        expect(sender).toMatchObject({ trusted: true, role: 'ADMIN' })
        expect(type).toBe('GROUP')
      }),
    )
  })
})
