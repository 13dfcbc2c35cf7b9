/** The numbers on badges: each is as long as its list, for every kind of viewer and with the list's filter. */
import { expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { addSchedule } from '../schedules/schedule-world.ts'
import { recordStatements } from './record-statements.ts'
import { createSchemaWorld, type SchemaWorld, type TokenName } from './schema-world.ts'
import { seedDelivery } from './seed-delivery.ts'
import { seedFact, seedKnowledge } from './seed-knowledge.ts'
import { seedSession } from './seed.ts'

/** Each with filters that take all, some and none. */
const LISTS = {
  sessions: ['{}', '{ participant: "carol" }', '{ status: [RUNNING] }'],
  facts: ['{}', '{ includeInvalidated: true }', '{ search: "dog" }', '{ sessionId: "nowhere" }'],
  learnings: ['{}', '{ status: [PENDING] }', '{ status: [PROMOTED, DISCARDED] }', '{ sessionId: "cli:one" }'],
  questions: ['{}', '{ status: [RESOLVED] }', '{ sessionId: "discord:two" }'],
  deliveries: ['{}', '{ status: [DEAD] }', '{ status: [PENDING] }', '{ sessionId: "cli:one" }'],
  schedules: ['{}', '{ user: "bob" }', '{ enabled: false }'],
} as const
const VIEWERS: readonly TokenName[] = ['alice', 'bob', 'carol', 'discord', 'hub']

type Answered = Readonly<Record<string, Listed | null>>
interface Listed {
  readonly totalCount?: number
  readonly edges: readonly unknown[]
}

test('every total is the length of its list', async () => {
  await using it = await createSchemaWorld()
  await fill(it)
  const totals = new Map<string, Set<number | null>>()
  for (const as of VIEWERS) {
    for (const [list, filters] of Object.entries(LISTS)) {
      for (const filter of filters) {
        const asked = `${list}(filter: ${filter}, first: 1) { totalCount edges { cursor } }`
        const { data } = await it.run<Answered, object>(
          as,
          `{ ${asked} all: ${list}(filter: ${filter}, first: 100) { edges { cursor } } }`,
        )
        const [page, all] = [data[list], data['all']]
        expect({ as, list, filter, total: page?.totalCount }).toEqual({ as, list, filter, total: all?.edges.length })
        totals.set(list, (totals.get(list) ?? new Set()).add(page?.totalCount ?? null))
      }
    }
  }
  // Nothing was compared with nothing alone: of each list there were several lengths.
  for (const [list, seen] of totals) expect(`${list}: ${seen.size}`).not.toMatch(/: [01]$/)
})

test('counts only when it is asked to', async () => {
  await using it = await createSchemaWorld()
  const counts = async (selected: string): Promise<number> => {
    const statements = await recordStatements(() =>
      it.run('alice', `{ sessions { ${selected} } learnings { ${selected} } }`),
    )
    return statements.filter((text) => /count\(\*\)/i.test(text)).length
  }
  expect(await counts('pageInfo { hasNextPage }')).toBe(0)
  expect(await counts('totalCount')).toBe(2)
})

async function fill(it: SchemaWorld): Promise<void> {
  const { database } = it.world.context
  const places = [
    ['cli:one', 'bob'],
    ['discord:two', 'carol'],
  ] as const
  for (const [id, participant] of places) {
    const session = await seedSession(database, { id, participants: [participant], messages: 3 })
    await seedKnowledge(database, session)
    await seedDelivery(database, id, must(session.taskIds[0], 'a task'))
  }
  await database.prisma.session.update({ where: { id: 'cli:one' }, data: { status: 'RUNNING' } })
  await seedFact(database, { content: 'The dog sleeps.' })
  await it.world.sql("UPDATE facts SET invalidated_at = now() WHERE content LIKE '%cli:one%'")
  await it.world.sql("UPDATE questions SET status = 'RESOLVED' WHERE session_id = 'cli:one'")
  await addSchedule(it.world)
  await addSchedule(it.world, { enabled: false })
  await addSchedule(it.world, {}, 'alice')
}
