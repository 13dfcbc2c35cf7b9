/** What subscriptions to facts and learnings read: which of the notified ids exist, and what changed lately. */
import type { Database, Statement } from '../database.ts'

/** What subscribers can follow by id. */
export type WatchedKind = 'fact' | 'learning'

const THERE: Readonly<Record<WatchedKind, Statement>> = {
  fact: { name: 'facts_there', text: 'SELECT id FROM facts WHERE id = ANY ($1::text[])' },
  learning: { name: 'learnings_there', text: 'SELECT id FROM learnings WHERE id = ANY ($1::text[])' },
}

const CHANGED: Readonly<Record<WatchedKind, Statement>> = {
  fact: {
    name: 'facts_changed',
    text: 'SELECT id FROM facts WHERE updated_at >= $1 ORDER BY updated_at DESC LIMIT $2',
  },
  learning: {
    name: 'learnings_changed',
    text: `SELECT id FROM learnings WHERE greatest(created_at, decided_at) >= $1
      ORDER BY greatest(created_at, decided_at) DESC LIMIT $2`,
  },
}

/** Those of `ids` that exist. */
export async function readThere(database: Database, kind: WatchedKind, ids: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ id: string }>(THERE[kind], [ids])
  return rows.map((row) => row.id)
}

/** Ids of what was made or changed since then, latest first. */
export async function readChangedSince(
  database: Database,
  kind: WatchedKind,
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(CHANGED[kind], [since, limit])
  return rows.map((row) => row.id)
}
