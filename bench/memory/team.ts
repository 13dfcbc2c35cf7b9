/** What is found of a company's facts by questions as people type them (test/knowledge/held-out/team). */
import type { Reach } from '../../src/core/knowledge/fact-scope.ts'
import { scopeKey } from '../../src/core/knowledge/fact-scope.ts'
import { must } from '../../src/platform/must.ts'
import type { Database } from '../../src/store/database.ts'
import { teamFacts, teamQuestions } from '../../test/knowledge/held-out/team/team.ts'
import { ASKING, type Choice } from './recall.ts'

export interface TeamFound {
  readonly choice: string
  /** Of questions that a fact answers, how many are found among the first so many. */
  readonly byKind: ReadonlyMap<string, { readonly asked: number; readonly found: readonly number[] }>
  /** Questions that no fact answers, and the facts that they are shown. */
  readonly unanswered: { readonly asked: number; readonly shown: number }
  /** Facts of users and projects that the question is not asked in. */
  readonly ofOthers: number
}

export const PLACES = [5, 10, 20] as const

const REACH: Reach = [
  { scope: 'GLOBAL' as const, scopeOf: '' },
  { scope: 'PROJECT' as const, scopeOf: 'atlas' },
  { scope: 'USER' as const, scopeOf: must(ASKING[0], 'who asks') },
].map(scopeKey)

/** Fills an empty database with the facts, which a curator made and the team has reviewed. */
export async function fillTeam(database: Database): Promise<void> {
  const facts = teamFacts()
  const columns = [
    facts.map(({ id }) => id),
    facts.map(({ content }) => content),
    facts.map(({ scope }) => scope.scope),
    facts.map(({ scope }) => scope.scopeOf),
  ]
  await database.query(INSERT, columns)
  await database.query({ name: '', text: 'VACUUM ANALYZE' }, [])
}

const INSERT = {
  name: 'bench.fill-team',
  text: `INSERT INTO facts (id, content, norm, source, scope, scope_of, created_at, updated_at, reviewed_by, reviewed_at)
    SELECT id, content, lower(content), 'CURATOR', scope::fact_scope, scope_of, now(), now(), 'bea', now()
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS f (id, content, scope, scope_of)`,
  timeoutMs: 25_000,
}

/** Misses are named on stderr. */
export async function measureTeam(
  database: Database,
  { name, choose }: { readonly name: string; readonly choose: Choice },
): Promise<TeamFound> {
  const scopes = new Map(teamFacts().map(({ id, scope }) => [id, scopeKey(scope)]))
  const byKind = new Map<string, { asked: number; found: number[] }>()
  const unanswered = { asked: 0, shown: 0 }
  let ofOthers = 0
  for (const { kind, text, factId } of teamQuestions()) {
    const chosen = await choose(database, { text, before: null, reach: REACH })
    ofOthers += chosen.filter(({ id }) => !REACH.includes(scopes.get(id) ?? '')).length
    if (factId === null) {
      unanswered.asked += 1
      unanswered.shown += chosen.length
      continue
    }
    const place = chosen.findIndex(({ id }) => id === factId)
    const marks = byKind.get(kind) ?? { asked: 0, found: PLACES.map(() => 0) }
    const found = marks.found.map((count, at) => count + (place >= 0 && place < (PLACES[at] ?? 0) ? 1 : 0))
    byKind.set(kind, { asked: marks.asked + 1, found })
    if (place < 0 || place >= PLACES[0])
      console.error(`${name}: ${place < 0 ? 'not' : `as ${place + 1}.`} found: ${text}`)
  }
  return { choice: name, byKind, unanswered, ofOthers }
}
