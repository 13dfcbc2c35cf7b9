/**
 * Ids. Everything but a session (whose id is natural) is named by a TypeID: a prefix that tells the kind, and a UUIDv7
 * in base32, so ids sort by time of creation (https://github.com/jetify-com/typeid).
 */
import { createHash } from 'node:crypto'
import { fromUUIDBytes, toUUIDBytes, type TypeId } from 'typeid-js'
import { systemClock, type Clock } from './clock.ts'
import { randomOf } from './random.ts'

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
  conversationEntry: 'entry',
  user: 'user',
  token: 'token',
  uploadedFile: 'file',
  thinking: 'thought',
  plugin: 'plugin',
  delegation: 'dlg',
  change: 'chg',
  proposal: 'prop',
  runtime: 'runtime',
} as const
export type IdKind = keyof typeof ID_PREFIXES

/** A fresh id of this kind, such as "msg_01jd…"; those of a process sort as they were made. */
export function newId(kind: IdKind): string {
  return fromUUIDBytes(ID_PREFIXES[kind], newBytes())
}

let clockOfIds: Pick<Clock, 'now'> = systemClock
let lastMs = 0
let count = 0
/** A clock that goes back by less was corrected; one that goes back further is followed. */
const CORRECTION_MS = 5000
const MAX_COUNT = 0xfff

/**
 * From now on new ids have the time of `clock`: the database's, since lists and polls read what all processes made in
 * the order of its ids.
 */
export function takeTimeOfIds(clock: Pick<Clock, 'now'>): void {
  clockOfIds = clock
}

/** UUIDv7: milliseconds, how many came before in the same one (from a random number on), random bits. */
function newBytes(): Buffer {
  const bytes = randomOf(16)
  const ms = clockOfIds.now().getTime()
  const isLater = ms > lastMs || lastMs - ms > CORRECTION_MS
  if (isLater || count === MAX_COUNT) {
    lastMs = isLater ? ms : lastMs + 1
    count = bytes.readUInt16BE(6) & (MAX_COUNT >> 1)
  } else count += 1
  bytes.writeUIntBE(lastMs, 0, 6)
  bytes.writeUInt16BE(count, 6)
  return asUuid(bytes, 7)
}

/** Marks 16 bytes as a UUID of this version and of the variant of RFC 9562. */
function asUuid(bytes: Buffer, version: 7 | 8): Buffer {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | (version << 4), 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes
}

/**
 * The id that every process gets for the same `seed` within the same `withinMs`: for what several processes see and one
 * stores.
 */
export function sharedId(
  kind: IdKind,
  { at, withinMs, seed }: { readonly at: Date; readonly withinMs: number; readonly seed: string },
): string {
  const slot = Math.floor(at.getTime() / withinMs) * withinMs
  const bytes = createHash('sha256').update(`${slot} ${seed}`).digest().subarray(0, 16)
  bytes.writeUIntBE(slot, 0, 6)
  return fromUUIDBytes(ID_PREFIXES[kind], asUuid(bytes, 7))
}

/**
 * The id of what is known by a name, which is for good: the same in every process, also where nothing has been stored
 * yet.
 */
export function namedId(kind: 'user' | 'token' | 'plugin', name: string): string {
  const bytes = createHash('sha256').update(`${kind} ${name}`).digest().subarray(0, 16)
  // Version 8: of one's own making.
  return fromUUIDBytes(ID_PREFIXES[kind], asUuid(bytes, 8))
}

/**
 * Another id of the same kind, the same for the same `salt`: for a copy of what has this id. Ids and their siblings
 * sort alike, as only their last 40 bits differ.
 */
export function siblingId(id: string, salt: string): string {
  const bytes = toUUIDBytes(id as TypeId<string>)
  bytes.set(createHash('sha256').update(`${salt} ${id}`).digest().subarray(0, 5), 11)
  return fromUUIDBytes(id.slice(0, id.lastIndexOf('_')), bytes)
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
/** So many digits of base32 hold the 48 bits of the time. */
const TIME_DIGITS = 10

/** When an id was made, of which `rest` is what stands behind the prefix. */
export function timeOfId(rest: string): Date {
  const digits = Array.from(rest.slice(0, TIME_DIGITS), (digit) => Math.max(0, DIGITS.indexOf(digit)))
  return new Date(digits.reduce((ms, digit) => ms * DIGITS.length + digit, 0))
}

/** The kind that an id's prefix names, or null: then it can only be a session's id. */
export function idKind(id: string): IdKind | null {
  const match = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/.exec(id)
  if (match === null) return null
  const found = Object.entries(ID_PREFIXES).find(([, prefix]) => prefix === match[1])
  return found === undefined ? null : (found[0] as IdKind)
}
