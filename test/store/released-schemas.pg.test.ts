/**
 * From every schema that people had in use to this one, with data: the server starts on it, shows all that was there,
 * and goes on with it; the version of that schema is refused from then on. CHANGELOG.md names the last migration of
 * each version behind its date, as in `## 1.2.0, 2027-01-31 (schema 20270130000000_what)`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { buildSchema } from 'graphql'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { openBefore } from '../harness/older-database.ts'
import { readEverything } from '../harness/read-everything.ts'
import { eventsOf, send, Story, turnEnd, watchAll } from '../harness/story.ts'
import { FILL_NEWER, FILLED, fillOlder } from './fill-older.sql.ts'

/** Of the days before the first version: the schema that a checkout of the evening had. */
const BEFORE_VERSIONS = [
  '20261121190000_knowledge',
  '20261121210800_lists',
  '20261122221000_quotas',
  '20261123201500_session_labels',
  '20261124070000_session_model',
  '20261125190000_trace_parents',
  '20261127213000_turns_without_keys',
  '20261128190000_left_learnings',
  '20261129060000_near_terms',
]

const changelog = readFileSync('CHANGELOG.md', 'utf8')
const versions = [...changelog.matchAll(/^## (\d+\.\d+\.\d+.*)$/gm)].map(([, heading = '']) => heading)
const schemaOf = (heading: string): string | undefined => /\(schema (\d{14}_\w+)\)$/.exec(heading)?.[1]

const migrations = readdirSync('prisma/migrations').filter((name) => /^\d/.test(name))
const released = [...BEFORE_VERSIONS, ...versions.flatMap((heading) => schemaOf(heading) ?? [])]

test('every version in the changelog names its schema, and each of them is a migration', () => {
  expect(versions.filter((heading) => schemaOf(heading) === undefined)).toEqual([])
  expect(released.filter((name) => !migrations.includes(name))).toEqual([])
})

/** How many rows each of the tables has that the first schema had not. */
async function countNewer(client: pg.Client): Promise<Readonly<Record<string, number>>> {
  const counted: Record<string, number> = {}
  for (const name of Object.keys(FILL_NEWER)) {
    const { rows } = await client.query<{ isThere: boolean }>('SELECT to_regclass($1) IS NOT NULL AS "isThere"', [name])
    if (rows[0]?.isThere !== true) continue
    const { rows: all } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${name}`)
    counted[name] = all[0]?.count ?? 0
  }
  return counted
}

test.each(released)('from %s', async (schema) => {
  const next = must(
    migrations.find((name) => name > schema),
    'a later migration',
  )
  await using older = await openBefore(next)
  await older.client.query(fillOlder)
  const newer = Object.keys(await countNewer(older.client))
  for (const name of newer) await older.client.query(must(FILL_NEWER[name], 'rows').sql)
  const filled = await countNewer(older.client)
  await using story = await Story.begin({
    databaseUrl: older.url,
    config: { settings: { requests_per_minute: 1_000_000 } },
  })
  const ask = async (query: string) => {
    const ada = story.as('ada')
    const headers = { authorization: `Bearer ${must(ada.token, 'a token')}`, 'content-type': 'application/json' }
    const answer = await fetch(`${ada.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    return (await answer.json()) as { readonly data?: unknown; readonly errors?: readonly { message: string }[] }
  }
  const counts = await ask(
    '{ sessions { totalCount } facts { totalCount } learnings { totalCount } ' +
      'questions { totalCount } deliveries { totalCount } }',
  )
  const all = { totalCount: FILLED.sessions }
  expect(counts).toEqual({ data: { sessions: all, facts: all, learnings: all, questions: all, deliveries: all } })

  const kept = await countNewer(older.client)
  expect(newer.filter((name) => (kept[name] ?? 0) < (filled[name] ?? 1))).toEqual([])

  // All that can be asked of one session, and of what is reached from it.
  const shown = await readEverything({
    schema: buildSchema(readFileSync('schema.graphql', 'utf8')),
    ask,
    ids: ['cli:old-2'],
  })
  expect(shown.filter(({ field }) => field.endsWith('(error)'))).toEqual([])
  const texts = new Set(shown.map(({ text }) => text))
  for (const text of ['message 2', 'goal 2', 'detail 2', 'output 2', 'Kettle 2 is blue.', 'Whose is kettle 2?'])
    expect(texts).toContain(text)
  for (const { query, text } of newer.flatMap((name) => FILL_NEWER[name]?.shows ?? []))
    expect(JSON.stringify(await ask(query))).toContain(`"${text}"`)

  const ada = story.as('ada')
  await using watch = watchAll(ada, 'cli:old-2')
  await turnEnd(watch, FILLED.turnsOfEach)
  expect(eventsOf(watch, 'PlanCreatedEvent')).toHaveLength(FILLED.turnsOfEach)
  await send(ada, 'cli:old-2', 'run: echo it goes on')
  await turnEnd(watch, FILLED.turnsOfEach + 1)
  expect(eventsOf(watch, 'TurnCompletedEvent').at(-1)).toMatchObject({ turnStatus: 'DONE' })

  const ahead = migrations.filter((name) => name >= next).length
  await expect(older.startAgain()).rejects.toThrow(
    `The database belongs to a newer version of Factotum: it has ${ahead} migrations that this build does not know (`,
  )
})
