import { expect, test } from 'vitest'
import { rightTo, SESSION_RIGHTS, STANDINGS, type Right, type SessionAct, type Standing } from './session-rights.ts'

/** The table once more, as a picture: a change of rights is a change of both. */
const EXPECTED: Readonly<Record<SessionAct, string>> = {
  //                  admin opener participant opening-connector connector
  SEND: /*              */ 'yes yes yes yes yes',
  APPEND: /*            */ 'yes yes yes yes yes',
  APPEND_AS_AGENT: /*   */ 'yes no  no  yes no ',
  UPDATE: /*            */ 'yes yes no  yes no ',
  DELETE: /*            */ 'yes yes no  yes no ',
  ADD_PARTICIPANT: /*   */ 'yes yes yes yes no ',
  LEAVE: /*             */ 'yes yes yes no  no ',
  REMOVE_PARTICIPANT: /**/ 'yes no  no  yes no ',
  CANCEL_TURN: /*       */ 'yes yes yes yes no ',
  CHECKPOINT: /*        */ 'yes yes yes yes no ',
  ERASE_USER: /*        */ 'yes no  no  no  no ',
}

test.each(Object.entries(EXPECTED))('%s', (act, picture) => {
  const allowed: readonly Standing[] = SESSION_RIGHTS[act as SessionAct]
  expect(STANDINGS.map((standing) => (allowed.includes(standing) ? 'yes' : 'no '))).toEqual(
    picture.split(/ (?=yes|no )/),
  )
})

const ADMIN = { role: 'ADMIN', tokenKind: 'USER' } as const
const USER = { role: 'USER', tokenKind: 'USER' } as const
const CONNECTOR = { role: 'USER', tokenKind: 'CONNECTOR' } as const

test.each([
  ['SEND', 'ALWAYS', 'ALWAYS', 'ALWAYS'],
  ['APPEND_AS_AGENT', 'ALWAYS', 'NEVER', 'IF_OPENED'],
  ['UPDATE', 'ALWAYS', 'IF_OPENED', 'IF_OPENED'],
  ['ADD_PARTICIPANT', 'ALWAYS', 'ALWAYS', 'IF_OPENED'],
  ['LEAVE', 'ALWAYS', 'ALWAYS', 'NEVER'],
  ['REMOVE_PARTICIPANT', 'ALWAYS', 'NEVER', 'IF_OPENED'],
] as const satisfies readonly (readonly [SessionAct, Right, Right, Right])[])(
  '%s: an admin %s, a user %s, a connector %s',
  (act, ...expected) => {
    expect([ADMIN, USER, CONNECTOR].map((viewer) => rightTo(act, viewer))).toEqual(expected)
  },
)
