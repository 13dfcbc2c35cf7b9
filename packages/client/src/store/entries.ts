/**
 * The conversation as a list of entries: those of the log by their seq, then what is being written. Each function gives
 * a new list, or the same one when nothing changed.
 */
import type { StoreEntryFragment } from '../generated/graphql.ts'
import type { AgentEntry, Entry, PersonEntry, ThinkingEntry } from './session-state.ts'
import { share } from './share.ts'

/** In the order of the log; what is being written, and then what is being sent, comes behind it. */
export type Entries = readonly Entry[]

/** As Session.conversation names them: what is said is a message or a text of a task. */
export function entryIdOf(rowId: string): string {
  return `entry_${rowId.slice(rowId.lastIndexOf('_') + 1)}`
}

/** `key`: of a message, as this page has shown it while it was being sent. */
export function toEntry(node: StoreEntryFragment, key: string = node.id): Entry {
  const { seq, at, content } = node
  const base = { key, seq, at, content, turnId: node.turn?.id ?? null }
  switch (node.__typename) {
    case 'PersonMessage': {
      const { id, status, attachments } = node.message
      const files = attachments.map(({ name }) => name)
      return { kind: 'person', ...base, author: node.author, message: { id, status }, files, sending: null }
    }
    case 'AgentText':
      return { kind: 'agent', ...base, isStreaming: false, final: node.final, taskId: node.task?.id ?? null }
    case 'Notice':
      return { kind: 'notice', ...base, taskId: node.task?.id ?? null }
  }
}

/** Where the entry with that key stands, sought from the end; -1: nowhere. */
export function indexOfKey(entries: Entries, key: string): number {
  return entries.findLastIndex((entry) => entry.key === key)
}

/** Puts an entry in its place; one with its key is replaced. */
export function placed(entries: Entries, entry: Entry): Entries {
  const index = indexOfKey(entries, entry.key)
  const before = entries[index]
  if (before?.seq === entry.seq) return replaced(entries, index, entry)
  const rest = before === undefined ? entries : entries.toSpliced(index, 1)
  const at = rest.findLastIndex(({ seq }) => placeOf(seq) <= placeOf(entry.seq)) + 1
  return rest.toSpliced(at, 0, entry)
}

/** With another entry at that index; the same list when it is equal to the one before. */
export function replaced(entries: Entries, index: number, entry: Entry): Entries {
  const shared = share(entries[index], entry)
  return shared === entries[index] ? entries : entries.with(index, shared)
}

/** By which entries are ordered: what has no seq yet stands at the end. */
export function placeOf(seq: number | null): number {
  return seq ?? Infinity
}

/** What a text or thought is called while it is being written, and what is known of it. */
export interface Writing {
  readonly key: string
  readonly at: string
  readonly turnId: string | null
  /** Null: a thought. */
  readonly taskId: string | null
}

/** Appends a piece to what is being written. A piece of what is whole already is none any more. */
export function written(entries: Entries, writing: Writing, piece: string): Entries {
  const index = indexOfKey(entries, writing.key)
  const entry = entries[index]
  if (entry === undefined) return [...entries, begun(writing, piece)]
  if (!isStreaming(entry)) return entries
  return entries.with(index, { ...entry, content: entry.content + piece })
}

/** A text is begun anew: what was written before does not count. */
export function withdrawn(entries: Entries, key: string): Entries {
  const index = indexOfKey(entries, key)
  const entry = entries[index]
  return entry !== undefined && isStreaming(entry) ? entries.toSpliced(index, 1) : entries
}

/** Whether pieces of it may still come. */
export function isStreaming(entry: Entry): entry is AgentEntry | ThinkingEntry {
  return (entry.kind === 'agent' || entry.kind === 'thinking') && entry.isStreaming
}

function begun({ key, at, turnId, taskId }: Writing, content: string): Entry {
  const base = { key, seq: null, at, turnId, content, isStreaming: true as const }
  return taskId === null ? { kind: 'thinking', ...base } : { kind: 'agent', ...base, final: false, taskId }
}

/** With what became of a message. */
export function withStatus(entries: Entries, message: NonNullable<PersonEntry['message']>): Entries {
  const index = entries.findLastIndex((entry) => entry.kind === 'person' && entry.message?.id === message.id)
  const entry = entries[index]
  return entry?.kind === 'person' ? replaced(entries, index, { ...entry, message }) : entries
}
