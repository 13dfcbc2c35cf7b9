/** Consolidation in the database: who may do it, what it writes, and what it leaves alone. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyConsolidation, type ConsolidationResult } from '../../src/knowledge/apply-consolidation.ts'
import { claimConsolidation, type ConsolidationBatch } from '../../src/knowledge/claim-consolidation.ts'
import { must } from '../../src/platform/must.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

const MAX_FACTS = 5

let world: World
beforeEach(async () => {
  world = await createWorld()
  await world.sql(
    `INSERT INTO sessions (id, source_kind, source_interactive, connector) VALUES ('cli:a', 'cli', true, 'alice')`,
  )
})
afterEach(() => world[Symbol.asyncDispose]())

async function addFacts(from: number, to: number, sessionId: string | null = null): Promise<void> {
  await world.sql(
    `INSERT INTO facts (id, content, norm, source, session_id, created_at, updated_at)
     SELECT 'fact_' || lpad(n::text, 4, '0'), 'Fact number ' || n, 'fact number ' || n, 'MANUAL', $3, now(), now()
     FROM generate_series($1::int, $2::int) n`,
    from,
    to,
    sessionId,
  )
}

const claim = (): Promise<ConsolidationBatch | null> => claimConsolidation(world.context.database, MAX_FACTS)
const later = (interval: string): Promise<unknown> =>
  world.sql(`UPDATE consolidation_state SET started_at = started_at - $1::interval`, interval)
const at = new Date('2026-01-02T03:04:05.678Z')
const apply = (batch: ConsolidationBatch, changes: ConsolidationResult['changes']): Promise<string[]> =>
  applyConsolidation(world.context.database, { batch, changes, sessionId: 'cli:a', turnId: 'turn_a', at })
const id = (n: number): string => `fact_${String(n).padStart(4, '0')}`

describe('who may begin', () => {
  test('nobody while there are not more facts than wanted; then one, for a while', async () => {
    await addFacts(1, 5)
    expect(await claim()).toBeNull()
    await addFacts(6, 6)
    const claims = await Promise.all([claim(), claim(), claim()])
    expect(claims.filter((one) => one !== null)).toHaveLength(1)
    expect(claims.find((one) => one !== null)?.facts.map((fact) => fact.id)).toEqual([1, 2, 3, 4, 5, 6].map(id))
  })

  test('not again when nothing was reduced and nothing is new; again with a new fact, or after a day', async () => {
    await addFacts(1, 6)
    await apply(must(await claim(), 'due'), [])
    await later('1 hour')
    expect(await claim()).toBeNull()
    await addFacts(7, 7)
    await apply(must(await claim(), 'due again'), [])
    await later('1 hour')
    expect(await claim()).toBeNull()
    await later('1 day')
    expect(await claim()).not.toBeNull()
  })

  test('again when the one who began has failed or died', async () => {
    await addFacts(1, 6)
    await claim()
    expect(await claim()).toBeNull()
    await later('1 hour')
    expect((await claim())?.facts).toHaveLength(6)
  })

  test('batch after batch until all were looked at', async () => {
    await addFacts(1, 450)
    const sizes: [number, string | undefined][] = []
    for (let n = 0; n < 3; n += 1) {
      const batch = must(await claim(), 'due')
      sizes.push([batch.facts.length, batch.facts[0]?.id])
      await apply(batch, [])
      await later('1 hour')
    }
    expect(sizes).toEqual([
      [200, id(1)],
      [200, id(201)],
      [50, id(401)],
    ])
    expect(await claim()).toBeNull()
  })
})

describe('what is written', () => {
  test('edits, merges and drops, with history, links and audit, at once', async () => {
    await addFacts(1, 4, 'cli:a')
    await addFacts(5, 8)
    const batch = must(await claim(), 'due')
    const changed = await apply(batch, [
      { operation: 'EDIT', factId: id(1), content: 'Fact one.' },
      { operation: 'MERGE', factIds: [id(2), id(3)], content: 'Facts two and three.' },
      { operation: 'MERGE', factIds: [id(4), id(5)], content: 'Facts four and five.' },
      { operation: 'DROP', factId: id(6), reason: 'Nobody needs it.' },
    ])
    const rows = await world.sql<{ id: string; content: string; replaced_by_id: string | null }>(
      `SELECT id, content, norm, source, session_id, version, invalidated_at IS NULL AS live, replaced_by_id FROM facts ORDER BY id`,
    )
    const merged = rows.filter(({ content }) => content.startsWith('Facts '))
    const of = (text: string): string =>
      must(
        merged.find(({ content }) => content === text),
        text,
      ).id
    expect(rows).toMatchObject([
      { id: id(1), content: 'Fact one.', norm: 'fact one', version: 2, live: true },
      { id: id(2), content: 'Fact number 2', version: 2, live: false, replaced_by_id: of('Facts two and three.') },
      { id: id(3), live: false, replaced_by_id: of('Facts two and three.') },
      { id: id(4), live: false, replaced_by_id: of('Facts four and five.') },
      { id: id(5), live: false, replaced_by_id: of('Facts four and five.') },
      { id: id(6), version: 2, live: false, replaced_by_id: null },
      { id: id(7), version: 1, live: true },
      { id: id(8), version: 1, live: true },
      { source: 'SUMMARIZER', version: 1, live: true, session_id: 'cli:a', norm: 'facts two and three' },
      // Of two origins: of none.
      { source: 'SUMMARIZER', version: 1, live: true, session_id: null },
    ])
    expect(new Set(changed)).toEqual(new Set([...[1, 2, 3, 4, 5, 6].map(id), ...merged.map((fact) => fact.id)]))
    const history = await world.sql(
      `SELECT fact_id, version, content, reason FROM fact_versions WHERE change = 'CONSOLIDATED' AND changed_by = 'summarizer' ORDER BY fact_id`,
    )
    expect(history).toHaveLength(8)
    expect(history).toContainEqual({ fact_id: id(6), version: 2, content: 'Fact number 6', reason: 'Nobody needs it.' })
    const audit = await world.sql<{ subject: string }>(
      `SELECT data->>'subjectId' AS subject FROM audit_entries WHERE actor = 'summarizer' AND data->>'change' = 'CONSOLIDATED'`,
    )
    expect(new Set(audit.map(({ subject }) => subject))).toEqual(new Set(changed))
    const words = await world.sql(`SELECT DISTINCT fact_id FROM fact_words ORDER BY 1`)
    expect(words).toEqual(
      [id(1), id(7), id(8), ...merged.map((fact) => fact.id).sort()].map((fact_id) => ({ fact_id })),
    )
  })

  test('a fact that was changed meanwhile stays, and so does the merge that it was part of', async () => {
    await addFacts(1, 8)
    const batch = must(await claim(), 'due')
    await world.sql(`UPDATE facts SET version = 2, content = 'By hand' WHERE id = $1`, id(1))
    await world.sql(`UPDATE facts SET version = 2, invalidated_at = now() WHERE id = $1`, id(4))
    const changed = await apply(batch, [
      { operation: 'EDIT', factId: id(1), content: 'Fact one.' },
      { operation: 'MERGE', factIds: [id(3), id(4)], content: 'Three and four.' },
      { operation: 'DROP', factId: id(5), reason: 'old' },
    ])
    expect(changed).toEqual([id(5)])
    expect(await world.sql('SELECT content FROM facts WHERE id = $1', id(1))).toEqual([{ content: 'By hand' }])
    expect(await world.sql('SELECT invalidated_at FROM facts WHERE id = $1', id(3))).toEqual([{ invalidated_at: null }])
  })

  test('also when the edit is under way at that moment', async () => {
    await addFacts(1, 6)
    const batch = must(await claim(), 'due')
    const [, changed] = await world.interleave(
      (uncommitted) => uncommitted.sql(`UPDATE facts SET version = 2, content = 'By hand' WHERE id = $1`, id(2)),
      () => apply(batch, [{ operation: 'MERGE', factIds: [id(1), id(2)], content: 'One and two.' }]),
    )
    expect(changed).toEqual([])
    expect(await world.sql(`SELECT count(*)::int AS n FROM facts WHERE invalidated_at IS NULL`)).toEqual([{ n: 6 }])
  })

  test('nothing by who has lost the claim', async () => {
    await addFacts(1, 6)
    const lost = must(await claim(), 'due')
    await later('1 day')
    const batch = must(await claim(), 'due again')
    expect(await apply(lost, [{ operation: 'DROP', factId: id(1), reason: 'old' }])).toEqual([])
    expect(await apply(batch, [{ operation: 'DROP', factId: id(1), reason: 'old' }])).toEqual([id(1)])
  })
})
