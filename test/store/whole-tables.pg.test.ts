/**
 * No statement of a turn, of a conversation or of a poll reads a table whole that grows with use: each is planned for
 * any values, as a prepared statement is, in a database that has so many rows in all of these tables that PostgreSQL
 * prefers an index wherever there is one that helps.
 */
import pg from 'pg'
import { expect, test } from 'vitest'
import * as api from '../generated/graphql.ts'
import { recordStatements } from '../contract/record-statements.ts'
import { converse, Story } from '../harness/story.ts'
import { fillTables } from './fill-tables.ts'

const ROWS = 30_000

/** What is counted before a turn, and before a session is opened. */
const LIMITS = `[budgets]
user_tokens_per_day = 1_000_000
session_tokens_per_day = 1_000_000
[quotas]
user_sessions = 1_000_000
user_published_mib = 1_000_000
`

/** Removals by jobs of the 17th and the 38th minute, for which no index is kept: they may run while this test does. */
const HOURLY = /DELETE FROM (?:model_call_texts|published_files|system_prompts)\b/

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

test('turns, conversations and polls read no table whole that grows', async () => {
  await using story = await Story.begin({ config: { toml: LIMITS } })
  const client = new pg.Client({ connectionString: story.databaseUrl })
  await client.connect()
  try {
    const large = new Set(await fillTables(client, ROWS))
    const ada = story.as('ada')
    const statements = await recordStatements(async () => {
      for (const content of ['learn: The project Heron builds with make.\nrun: echo hi', 'Heron\nfacts?'])
        expect(await converse(ada, 'cli:planned', content)).toMatchObject({ status: 'DONE' })
      await ada.run(api.OpenSessionDocument, { input: { id: 'cli:chatted', mode: 'CHAT' } })
      for (const content of ['The project Heron', 'tool: exec {"command": "echo hi"}'])
        expect(await converse(ada, 'cli:chatted', content)).toMatchObject({ status: 'DONE' })
      await ada.run(api.CheckpointSessionDocument, { sessionId: 'cli:planned' })
      for (const content of ['run: echo hi', 'The project Heron'])
        expect(await converse(story.as('ben'), '@ben:limited', content)).toMatchObject({ status: 'DONE' })
    })
    const texts = [...new Set(statements)].filter((text) => /^\s*(?:WITH|SELECT|INSERT|UPDATE|DELETE)\b/.test(text))
    expect(texts.length).toBeGreaterThan(50)
    const found: string[] = []
    for (const text of texts.filter((one) => !HOURLY.test(one)))
      for (const table of await readWhole(client, text))
        if (large.has(table)) found.push(`${table}: ${text.slice(0, 300)}`)
    expect(found).toEqual([])
  } finally {
    await client.end()
  }
})

async function readWhole(client: pg.Client, text: string): Promise<string[]> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`,
  )
  return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => seqScans(Plan)))
}

function seqScans(node: PlanNode): string[] {
  const table = node['Relation Name']
  const isWhole = node['Node Type'] === 'Seq Scan' && table !== undefined
  return [...(isWhole ? [table] : []), ...(node.Plans ?? []).flatMap(seqScans)]
}
