/** Consolidation in the database: who may search for facts that are alike, which are found, and what is stored. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { normalText } from '../../src/core/text/normal-text.ts'
import { claimConsolidation, type ConsolidationBatch } from '../../src/knowledge/consolidation/claim-consolidation.ts'
import { must } from '../../src/platform/must.ts'
import { storeProposal } from '../../src/store/proposals/store-proposal.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

let made = 0
interface Made {
  readonly by?: string
  readonly scope?: 'GLOBAL' | 'PROJECT'
}

async function addFact(content: string, { by = 'curator', scope = 'GLOBAL' }: Made = {}): Promise<string> {
  made += 1
  const id = `fact_${String(made).padStart(5, '0')}`
  const scopeOf = scope === 'GLOBAL' ? '' : 'shop'
  await world.sql(
    `INSERT INTO facts (id, content, norm, source, scope, scope_of, created_at, updated_at)
     VALUES ($1, $2, $3, 'CURATOR', $4::fact_scope, $5, now(), now())`,
    id,
    content,
    normalText(content),
    scope,
    scopeOf,
  )
  await world.sql(
    `INSERT INTO fact_versions (fact_id, version, content, change, changed_by, at) VALUES ($1, 1, $2, 'CREATED', $3, now())`,
    id,
    content,
    by,
  )
  return id
}

const claim = (): Promise<ConsolidationBatch | null> => claimConsolidation(world.context.database)
const later = (): Promise<unknown> =>
  world.sql(`UPDATE consolidation_state SET started_at = started_at - interval '1 hour'`)
const at = new Date('2026-01-02T03:04:05.678Z')
const of = { sessionId: 'cli:a', turnId: 'turn_a', at }

/** Proposes to make one of each group. */
const propose = ({ startedAt, lastFactId, groups }: ConsolidationBatch): Promise<string | null> => {
  const steps = groups.map((facts) => {
    return { operation: 'MERGE' as const, facts, content: must(facts.at(-1), 'a fact').content, reason: null }
  })
  return storeProposal(world.context.database, { startedAt, lastFactId, steps, ...of })
}
const idsIn = (batch: ConsolidationBatch | null): string[][] | undefined =>
  batch?.groups.map((group) => group.map(({ id }) => id))

describe('who may search', () => {
  test('one at a time, and nobody while nothing is new', async () => {
    expect(await claim()).toBeNull()
    await addFact('The gateway listens on port 8080.')
    const claims = (await Promise.all([claim(), claim(), claim()])).filter((one) => one !== null)
    expect(claims).toHaveLength(1)
    await propose(must(claims[0], 'a claim'))
    expect(await claim()).toBeNull()
  })

  test('again at once for what is new, when there was nothing to propose; after a pause, when there was', async () => {
    await addFact('The gateway listens on port 8080.')
    await propose(must(await claim(), 'due'))
    await addFact('The gateway listens on port 8081.')
    expect(await propose(must(await claim(), 'due at once'))).toMatch(/^prop_/)
    await addFact('Printers are named after lakes.')
    expect(await claim()).toBeNull()
    await later()
    expect(idsIn(await claim())).toEqual([])
  })

  test('again what was compared, when the one who began has failed or died; then its result is void', async () => {
    await addFact('The gateway listens on port 8080.')
    await addFact('The gateway listens on the port 8080.')
    const lost = must(await claim(), 'due')
    expect(await claim()).toBeNull()
    await later()
    const batch = must(await claim(), 'due again')
    expect(idsIn(batch)).toEqual(idsIn(lost))
    expect(await propose(lost)).toBeNull()
    expect(await propose(batch)).toMatch(/^prop_/)
    expect(await world.sql('SELECT count(*)::int AS n FROM fact_proposals')).toEqual([{ n: 1 }])
  })

  test('nobody while admins have many proposals to decide', async () => {
    await addFact('The gateway listens on port 8080.')
    await world.sql(
      `INSERT INTO fact_proposals (id, steps, created_at) SELECT 'prop_' || n, '[]', now() FROM generate_series(1, 20) n`,
    )
    expect(await claim()).toBeNull()
  })
})

describe('what is found', () => {
  test('what is alike or contradictory, of the same scope, however long ago; nothing else', async () => {
    const old = await addFact('The mirror of the registry is in Oslo.')
    for (let n = 0; n < 150; n += 1) await addFact(`${'abcdefghij'[n % 10]}${n}x ${n}y${n} z${n * 7}q`)
    await propose(must(await claim(), 'due'))
    await propose(must(await claim(), 'the rest'))
    const now = await addFact('The mirror of the registry is in Bergen.')
    await addFact('The mirror of the registry is in Oslo now.', { scope: 'PROJECT' })
    await addFact('Printers are named after lakes.')
    expect(idsIn(await claim())).toEqual([[now, old]])
  })

  test('nothing that a person made or changed', async () => {
    await addFact('The gateway listens on port 8080.', { by: 'ada' })
    await addFact('The gateway listens on the port 8080.')
    expect(idsIn(await claim())).toEqual([])
  })

  test('nothing that a person has reviewed, until the server changes it', async () => {
    const one = await addFact('The gateway listens on port 8080.')
    const other = await addFact('The gateway listens on the port 8080.')
    await world.sql(`UPDATE facts SET reviewed_by = 'ada', reviewed_at = now() WHERE id = $1`, one)
    expect(idsIn(await claim())).toEqual([])
    await world.sql(`UPDATE facts SET reviewed_by = NULL, reviewed_at = NULL WHERE id = $1`, one)
    await world.sql('UPDATE consolidation_state SET started_at = NULL, last_fact_id = NULL')
    expect(idsIn(await claim())).toEqual([[one, other]])
  })

  test('nothing that is pinned, until it is unpinned', async () => {
    const one = await addFact('The gateway listens on port 8080.')
    const other = await addFact('The gateway listens on the port 8080.')
    for (const pinned of [one, other]) {
      await world.sql('UPDATE facts SET pinned = id = $1', pinned)
      await world.sql('UPDATE consolidation_state SET started_at = NULL, last_fact_id = NULL')
      expect(idsIn(await claim())).toEqual([])
    }
    await world.sql('UPDATE facts SET pinned = false')
    await world.sql('UPDATE consolidation_state SET started_at = NULL, last_fact_id = NULL')
    expect(idsIn(await claim())).toEqual([[one, other]])
  })

  test('nothing that waits for an admin or was rejected, until it changes', async () => {
    const one = await addFact('The gateway listens on port 8080.')
    const other = await addFact('The gateway listens on the port 8080.')
    await propose(must(await claim(), 'due'))
    for (const status of ['WAITING', 'REJECTED']) {
      await world.sql('UPDATE fact_proposals SET status = $1::proposal_status', status)
      await world.sql('UPDATE consolidation_state SET started_at = NULL, last_fact_id = NULL')
      expect(idsIn(await claim())).toEqual([])
    }
    await world.sql('UPDATE facts SET version = 2')
    await world.sql('UPDATE consolidation_state SET started_at = NULL, last_fact_id = NULL')
    expect(idsIn(await claim())).toEqual([[one, other]])
  })

  test('four groups at a time; the others with the next run', async () => {
    const names = ['anchor', 'basalt', 'cedar', 'dynamo', 'ember', 'fjord']
    for (const name of names) {
      await addFact(`${name} ${name}ville ${name}ton`)
      await addFact(`${name} ${name}ville ${name}tons`)
    }
    const sizes: number[] = []
    for (let run = 0; run < 2; run += 1) {
      const batch = must(await claim(), 'due')
      sizes.push(batch.groups.length)
      await propose(batch)
      await later()
    }
    expect(sizes).toEqual([4, 2])
    const sources = await world.sql('SELECT count(DISTINCT fact_id)::int AS n FROM fact_proposal_sources')
    expect(sources).toEqual([{ n: 2 * names.length }])
  })
})
