/** Learnings as they go through the inbox and a stand-in curator, on a database: for a test, and for the bench. */
import type { Config } from '../../src/config/config.ts'
import { GLOBAL_SCOPE } from '../../src/core/knowledge/fact-scope.ts'
import type { Curation } from '../../src/core/turn-write.ts'
import { curatorContext, decidePending } from '../../src/knowledge/decide-pending.ts'
import { enterLearning } from '../../src/knowledge/learnings/enter-learning.ts'
import { loadCuration } from '../../src/knowledge/load-curation.ts'
import { newId } from '../../src/platform/id.ts'
import type { Database } from '../../src/store/database.ts'
import { storeCuration } from '../../src/store/knowledge/store-curations.ts'
import type { LabelledLearning } from './corpus/learnings.ts'
import { SeededRandom } from '../harness/seeded-random.ts'
import type { StandIn } from './stand-in-curators.ts'

const USER = 'alice'

/** One with a turn, in whose prompt no fact stands; `name`: a word. */
export async function openSession(database: Database, name: string): Promise<string> {
  const id = `cli:${name}`
  const rows = [
    `INSERT INTO sessions (id, source_kind, source_interactive) VALUES ('${id}', 'cli', true)`,
    `INSERT INTO messages (id, session_id, seq, role, content, trusted, status, client, created_at)
      VALUES ('msg_${name}', '${id}', 1, 'USER', 'x', true, 'DONE', 'cli', now())`,
    `INSERT INTO turns (id, session_id, seq, message_id, user_name, created_at)
      VALUES ('${turnOf(id)}', '${id}', 1, 'msg_${name}', '${USER}', now())`,
    `INSERT INTO turn_facts (turn_id, fact_ids, session_id) VALUES ('${turnOf(id)}', '{}', '${id}')`,
  ]
  for (const text of rows) await database.query({ name: '', text }, [])
  return id
}

const turnOf = (sessionId: string): string => `turn_${sessionId.slice('cli:'.length)}`

/** As a review in a turn of an admin's brings it, by the configuration that there is without one. */
export async function learn(database: Database, sessionId: string, text: string): Promise<void> {
  const learned = { text, turnId: turnOf(sessionId), source: 'REVIEW', mode: 'hold_suspicious', refusal: null } as const
  const entered = await enterLearning(database, { ...learned, scope: GLOBAL_SCOPE })
  if (entered === null) return
  const { content, norm, entry } = entered
  const { flags, similarFactIds, ...rest } = entry
  const row = { id: newId('learning'), sessionId, userName: USER, content, norm, createdAt: new Date() }
  await database.prisma.learning.create({
    data: { ...row, ...rest, flags: [...flags], similarFactIds: [...similarFactIds] },
  })
}

export interface Curating {
  readonly sessionId: string
  readonly config: Config
  readonly standIn: StandIn
  /** What the curator may know of. */
  readonly learnings: readonly LabelledLearning[]
  readonly seed: number
}

/** As after a turn, until nothing waits for the curator that it has an answer to. */
export async function curateAll(database: Database, curating: Curating): Promise<void> {
  for (let run = 0; run < 4; run += 1) {
    const curations = await judge(database, curating)
    if (curations === null) return
    for (const curation of curations) await storeCuration(database, curating.sessionId, curation)
  }
}

/** Null: nothing waits. */
export async function judge(
  database: Database,
  { sessionId, config, standIn, learnings, seed }: Curating,
): Promise<readonly Curation[] | null> {
  const pending = await loadCuration(database, config, { sessionId, done: [] })
  if (pending.learnings.length === 0) return null
  const shown = await curatorContext(database, pending, () => Promise.resolve(null))
  const kinds = new Map(learnings.map(({ text, kind }) => [text, kind]))
  const evaluations = standIn({ shown, kindOf: (text) => kinds.get(text), random: new SeededRandom(seed) })
  return decidePending(database, config, { pending, shown, evaluations, at: new Date() })
}

interface LearnedRow {
  readonly content: string
  readonly status: string
  readonly held: boolean
  readonly fact: string | null
  readonly factId: string | null
  readonly repeats: boolean
}

/** All, oldest first. */
export function learnedRows(database: Database): Promise<LearnedRow[]> {
  return database.query<LearnedRow>(LEARNED, [])
}

const LEARNED = {
  name: '',
  text: `SELECT l.content, l.status::text, l.held, f.content AS fact, l.fact_id AS "factId",
      l.repeats_fact_id IS NOT NULL OR l.repeats_learning_id IS NOT NULL AS repeats
    FROM learnings l LEFT JOIN facts f ON f.id = l.fact_id ORDER BY l.id`,
}
