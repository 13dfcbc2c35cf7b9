/** What subscriptions to lists of admins read: which of the notified ids exist. */
import type { Database, Statement } from './database.ts'

/** What subscribers can follow by id. */
export type WatchedKind = 'fact' | 'learning' | 'question' | 'delivery' | 'plugin' | 'proposal'

const THERE: Readonly<Record<WatchedKind, Statement>> = {
  fact: { name: 'facts_there', text: 'SELECT id FROM facts WHERE id = ANY ($1::text[])' },
  learning: { name: 'learnings_there', text: 'SELECT id FROM learnings WHERE id = ANY ($1::text[])' },
  delivery: { name: 'deliveries_there', text: 'SELECT id FROM deliveries WHERE id = ANY ($1::text[])' },
  plugin: { name: 'plugins_there', text: 'SELECT id FROM plugins WHERE id = ANY ($1::text[])' },
  proposal: { name: 'proposals_there', text: 'SELECT id FROM fact_proposals WHERE id = ANY ($1::text[])' },
  question: { name: 'questions_there', text: 'SELECT id FROM questions WHERE id = ANY ($1::text[])' },
}

/** Those of `ids` that exist. */
export async function readThere(database: Database, kind: WatchedKind, ids: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ id: string }>(THERE[kind], [ids])
  return rows.map((row) => row.id)
}
