/**
 * Cursors of connections: opaque to clients, base64url of a JSON array [kind, …position]. The position is the sort key
 * of one row (keyset paging), so a page stays right while rows are inserted, and costs the same at any depth. The kind
 * names list and version: a cursor of another list, or of a format long gone, is refused instead of misread.
 */
import { z } from 'zod'
import { isStorable } from '../../../platform/well-formed.ts'
import { badUserInput } from '../values/bad-user-input.ts'

/** No cursor of ours is longer; what is, is not worth decoding. */
const MAX_LENGTH = 1024

const seq = z.int().min(0).max(2_147_483_647)
const id = z.string().min(1).max(255).refine(isStorable)
const time = z.iso.datetime({ precision: 3 })

const positions = {
  /** Newest activity first: [lastActivityAt, id]. */
  sessions1: z.tuple([z.literal('sessions1'), time, id]),
  messages1: z.tuple([z.literal('messages1'), seq]),
  turns1: z.tuple([z.literal('turns1'), seq]),
  conversation1: z.tuple([z.literal('conversation1'), seq]),
  /** Newest first: [the rest of the id of a message or task]. */
  matches1: z.tuple([z.literal('matches1'), id]),
  /** Newest first: [id]. */
  tasks1: z.tuple([z.literal('tasks1'), id]),
  approvals1: z.tuple([z.literal('approvals1'), id]),
  deliveries1: z.tuple([z.literal('deliveries1'), id]),
  facts1: z.tuple([z.literal('facts1'), id]),
  /** Most used first: [uses, id]. */
  usedFacts1: z.tuple([z.literal('usedFacts1'), seq, id]),
  learnings1: z.tuple([z.literal('learnings1'), id]),
  proposals1: z.tuple([z.literal('proposals1'), id]),
  questions1: z.tuple([z.literal('questions1'), id]),
  /** Newest first: [at, id]. */
  audit1: z.tuple([z.literal('audit1'), time, id]),
  factTurns1: z.tuple([z.literal('factTurns1'), id]),
  delegations1: z.tuple([z.literal('delegations1'), id]),
  schedules1: z.tuple([z.literal('schedules1'), id]),
  /** Newest first: [createdAt, id]. */
  files1: z.tuple([z.literal('files1'), time, id]),
  /** By name: [name]. */
  users1: z.tuple([z.literal('users1'), id]),
  tokens1: z.tuple([z.literal('tokens1'), id]),
  budgets1: z.tuple([z.literal('budgets1'), id]),
  plugins1: z.tuple([z.literal('plugins1'), id]),
  secrets1: z.tuple([z.literal('secrets1'), id]),
  scheduleRuns1: z.tuple([z.literal('scheduleRuns1'), id]),
}

export type CursorKind = keyof typeof positions
type Tagged<K extends CursorKind> = z.infer<(typeof positions)[K]>
/** Where a row of this list stands, without the tag. */
export type Position<K extends CursorKind> = Tagged<K> extends readonly [unknown, ...infer Rest] ? Rest : never

export function encodeCursor<K extends CursorKind>(kind: K, position: Position<K>): string {
  return Buffer.from(JSON.stringify([kind, ...position])).toString('base64url')
}

/** Throws BAD_USER_INPUT, naming the argument, unless `cursor` is one that `encodeCursor` made for this list. */
export function decodeCursor<K extends CursorKind>(kind: K, cursor: string, argument: string): Position<K> {
  const parsed = positions[kind].safeParse(parseTag(cursor))
  if (!parsed.success) {
    throw badUserInput(
      `"${argument}" is not a cursor of this list. Pass a cursor that the same list returned, or leave it out.`,
    )
  }
  const [, ...position] = parsed.data
  return position as unknown as Position<K>
}

function parseTag(cursor: string): unknown {
  if (cursor.length > MAX_LENGTH) return null
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null // not JSON: no position, refused by the caller
  }
}
