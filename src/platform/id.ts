/**
 * Ids. Everything but a session (whose id is natural) is named by a TypeID: a prefix that tells the kind, and a UUIDv7 in
 * base32, so ids sort by time of creation (https://github.com/jetify-com/typeid).
 */
import { randomBytes } from 'node:crypto'
import { typeidUnboxed } from 'typeid-js'

export const ID_PREFIXES = {
  message: 'msg',
  turn: 'turn',
  plan: 'plan',
  task: 'task',
  fact: 'fact',
  learning: 'learn',
  question: 'q',
  delivery: 'dlv',
  approval: 'appr',
  audit: 'aud',
  schedule: 'sched',
  scheduleRun: 'run',
} as const
export type IdKind = keyof typeof ID_PREFIXES

/** A fresh id of this kind, such as "msg_01jd…". */
export function newId(kind: IdKind): string {
  return typeidUnboxed(ID_PREFIXES[kind])
}

/** The kind that an id's prefix names, or null: then it can only be a session's id. */
export function idKind(id: string): IdKind | null {
  const match = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/.exec(id)
  if (match === null) return null
  const found = Object.entries(ID_PREFIXES).find(([, prefix]) => prefix === match[1])
  return found === undefined ? null : (found[0] as IdKind)
}

/** `bytes` random bytes as lower-case hex: fences, tokens, correlation ids. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

/** A number in [0, 1): the jitter of waits. */
export function randomFraction(): number {
  return Math.random()
}
