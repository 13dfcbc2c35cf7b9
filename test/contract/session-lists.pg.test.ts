/**
 * Lists of sessions are read in two ways, by whether a user's sessions are few or many. Both must show what the
 * plainest statement shows: for every viewer and every filter, page after page.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rounds } from '../harness/rounds.ts'
import { MAX_COUNTED } from '../../src/graphql/schema/paging/counted.ts'
import { likeLiteral } from '../../src/graphql/schema/values/like-literal.ts'
import {
  ApprovalsDocument,
  SessionsDocument,
  TasksDocument,
  type SessionFilter,
  type SessionsQuery,
} from '../generated/graphql.ts'
import { createSchemaWorld, type Answer, type SchemaWorld } from './schema-world.ts'

/** More than those that are looked up one by one (narrowest.ts). */
const SESSIONS = 2100

let it: SchemaWorld

beforeAll(async () => {
  it = await createSchemaWorld()
  // Bob is in all, Carol in every 25th; every 97th session is another kind, every 7th has another word.
  const id = `CASE WHEN n % 10 = 0 THEN 'discord:' ELSE 'cli:' END || n`
  const turn = `'turn_' || lpad(n::text, 5, '0')`
  const numbers = `generate_series(1, ${SESSIONS}) n`
  const status = `CASE WHEN n % 50 = 3 THEN 'RUNNING' WHEN n % 9 = 0 THEN 'INACTIVE' ELSE 'IDLE' END`
  const taskStatus = `CASE WHEN n % 50 = 3 THEN 'RUNNING' ELSE 'DONE' END`
  for (const text of [
    `INSERT INTO sessions (id, source_kind, source_interactive, source_type, status, description, last_activity_at)
      SELECT ${id}, CASE WHEN n % 97 = 0 THEN 'odd' ELSE 'web' END, true,
        (CASE WHEN n % 4 = 0 THEN 'GROUP' ELSE 'DIRECT' END)::conversation_type, (${status})::session_status,
        CASE WHEN n % 7 = 0 THEN '100% About ' || n WHEN n % 5 = 0 THEN NULL ELSE 'Talk ' || n END,
        timestamptz '2026-11-21T12:00Z' + (n * 7919 % 1000) * interval '1 second' FROM ${numbers}`,
    // Set later, as most are; a number is not found by its text.
    `UPDATE sessions SET metadata = CASE WHEN length(id) % 2 = 0 THEN jsonb_build_object('room', '7', 'team', 'blue')
      WHEN id LIKE '%7' THEN jsonb_build_object('room', 7) ELSE jsonb_build_object('team', 'blue') END
      WHERE id LIKE '%7' OR id LIKE '%2'`,
    `INSERT INTO participants (session_id, user_name) SELECT ${id}, 'bob' FROM ${numbers}`,
    `INSERT INTO participants (session_id, user_name) SELECT ${id}, 'carol' FROM ${numbers} WHERE n % 25 = 0`,
    `INSERT INTO messages (id, session_id, seq, role, content, trusted, status, client, created_at)
      SELECT 'msg_' || n, ${id}, 1, 'USER', 'x', true, 'DONE', 'x', now() FROM ${numbers}`,
    `INSERT INTO turns (id, session_id, seq, message_id, user_name, status, created_at)
      SELECT ${turn}, ${id}, 1, 'msg_' || n, 'bob', (${taskStatus})::turn_status, now() FROM ${numbers}`,
    `INSERT INTO plans (id, session_id, turn_id, attempt, goal, created_at)
      SELECT 'plan_' || n, ${id}, ${turn}, 1, 'x', now() FROM ${numbers}`,
    `INSERT INTO tasks (id, session_id, turn_id, plan_id, index, type, detail, status)
      SELECT 'task_' || lpad(n::text, 5, '0'), ${id}, ${turn}, 'plan_' || n, 0, 'EXEC', 'x', (${taskStatus})::task_status FROM ${numbers}`,
    `INSERT INTO approvals (id, session_id, turn_id, task_id, user_name, kind, status, reason, created_at, expires_at)
      SELECT 'appr_' || lpad(n::text, 5, '0'), ${id}, ${turn}, 'task_' || lpad(n::text, 5, '0'), 'bob', 'TASK',
        (CASE WHEN n % 50 = 3 THEN 'PENDING' ELSE 'DENIED' END)::approval_status, 'x', now(), now() FROM ${numbers}`,
    'ANALYZE',
  ])
    await query(text)
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

function query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
  return it.world.context.database.query<Row>({ name: '', text }, values)
}

const VIEWERS = {
  alice: 'true',
  bob: `id IN (SELECT session_id FROM participants WHERE user_name = 'bob')`,
  carol: `id IN (SELECT session_id FROM participants WHERE user_name = 'carol')`,
  discord: `id LIKE 'discord:%'`,
} as const
const viewer = fc.constantFrom(...(Object.keys(VIEWERS) as (keyof typeof VIEWERS)[]))

const filters: fc.Arbitrary<SessionFilter> = fc.record(
  {
    status: fc.subarray(['IDLE', 'RUNNING', 'INACTIVE', 'AWAITING_APPROVAL'] as const),
    sourceKind: fc.subarray(['web', 'odd', 'none']),
    conversationType: fc.constantFrom('GROUP', 'DIRECT'),
    participant: fc.constantFrom('bob', 'carol', 'nobody'),
    search: fc.constantFrom('talk', 'ＴＡＬＫ', 'ABOUT 7', '0%', '0％', '%', '_', 'zz', 'nowhere', ''),
    includeInactive: fc.boolean(),
    metadata: fc.subarray([
      { key: 'room', value: '7' },
      { key: 'team', value: 'blue' },
      { key: 'team', value: 'nobody’s' },
    ]),
  },
  { requiredKeys: [] },
)

async function expected(as: keyof typeof VIEWERS, filter: SessionFilter, limit: number): Promise<string[]> {
  const { status = [], sourceKind = [], conversationType, participant, search, includeInactive, metadata } = filter
  const text = `SELECT id FROM sessions WHERE ${VIEWERS[as]}
    AND (CASE WHEN cardinality($1::text[]) > 0 THEN status::text = ANY ($1) ELSE $2 OR status <> 'INACTIVE' END)
    AND (cardinality($3::text[]) = 0 OR source_kind = ANY ($3)) AND ($4::text IS NULL OR source_type::text = $4)
    AND ($5::text IS NULL OR EXISTS (SELECT FROM participants WHERE session_id = id AND user_name = $5))
    AND ($6::text IS NULL OR description ILIKE $6)
    AND NOT EXISTS (SELECT FROM jsonb_to_recordset($8::jsonb) AS m (key text, value text)
      WHERE metadata -> m.key IS DISTINCT FROM to_jsonb(m.value))
    ORDER BY last_activity_at DESC, id DESC LIMIT $7`
  const pattern = search == null ? null : `%${likeLiteral(search.normalize('NFKC'))}%`
  const wanted = [conversationType ?? null, participant ?? null, pattern, limit, JSON.stringify(metadata ?? [])]
  return (await query<{ id: string }>(text, [status, includeInactive === true, sourceKind, ...wanted])).map(
    ({ id }) => id,
  )
}

test('sessions: every filter, for everybody, page after page', async () => {
  await fc.assert(
    fc.asyncProperty(viewer, filters, async (as, filter) => {
      const seen: string[] = []
      let after: string | null | undefined = null
      for (let page = 0; page < 3; page += 1) {
        const answer: Answer<SessionsQuery> = await it.run(as, SessionsDocument, { first: 20, after, filter })
        expect(answer.codes).toEqual([])
        const { edges, pageInfo }: Page = answer.data.sessions
        seen.push(...edges.map(({ node }) => node.id))
        after = pageInfo.endCursor
        if (!pageInfo.hasNextPage) break
      }
      expect(seen).toEqual(await expected(as, filter, 60))
      // More than are counted match the widest filters.
      const { data } = await it.run<Counted, object>(as, SESSIONS_COUNTED, { filter })
      expect(data['sessions']?.totalCount).toBe((await expected(as, filter, MAX_COUNTED)).length)
    }),
    { numRuns: rounds(25, 80) },
  )
})

const SESSIONS_COUNTED = 'query ($filter: SessionFilter) { sessions(first: 1, filter: $filter) { totalCount } }'
const APPROVALS_COUNTED = 'query ($filter: ApprovalFilter) { approvals(first: 1, filter: $filter) { totalCount } }'
type Counted = Readonly<Record<string, { readonly totalCount: number } | undefined>>

interface Page {
  readonly edges: readonly { readonly node: { readonly id: string } }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null }
}

test.each([
  ['tasks', TasksDocument, [['RUNNING'], ['DONE'], ['PENDING', 'RUNNING'], ['RUNNING', 'DONE'], []]],
  ['approvals', ApprovalsDocument, [['PENDING'], ['DENIED'], ['PENDING', 'DENIED'], ['EXPIRED'], []]],
] as const)('%s: in every state, for everybody', async (table, document, states) => {
  for (const as of Object.keys(VIEWERS) as (keyof typeof VIEWERS)[]) {
    for (const status of states) {
      const { data, codes } = await it.run(as, String(document), { first: 100, filter: { status } })
      expect(codes).toEqual([])
      const seen = (data as Record<string, Page>)[table]?.edges.map(({ node }) => node.id)
      const rows = await query<{ id: string }>(
        `SELECT id FROM ${table} WHERE session_id IN (SELECT id FROM sessions WHERE ${VIEWERS[as]})
          AND (cardinality($1::text[]) = 0 OR status::text = ANY ($1)) ORDER BY id DESC LIMIT 100`,
        [status],
      )
      expect(seen).toEqual(rows.map(({ id }) => id))
    }
  }
})

test('approvals are counted as they are listed, for everybody', async () => {
  for (const as of Object.keys(VIEWERS) as (keyof typeof VIEWERS)[]) {
    for (const status of [['PENDING'], ['DENIED'], ['EXPIRED'], []]) {
      const { data } = await it.run<Counted, object>(as, APPROVALS_COUNTED, { filter: { status } })
      const rows = await query<{ id: string }>(
        `SELECT id FROM approvals WHERE session_id IN (SELECT id FROM sessions WHERE ${VIEWERS[as]})
          AND (cardinality($1::text[]) = 0 OR status::text = ANY ($1)) LIMIT $2`,
        [status, MAX_COUNTED],
      )
      expect({ as, status, count: data['approvals']?.totalCount }).toEqual({ as, status, count: rows.length })
    }
  }
})

test('a description that is changed or taken away is found as it is now', async () => {
  const found = async (search: string): Promise<number> => {
    const { data } = await it.run('alice', SessionsDocument, { first: 5, filter: { search } })
    return data.sessions.edges.length
  }
  await query(`UPDATE sessions SET description = 'Zebra' WHERE id = 'cli:1'`)
  expect(await found('zEBRa')).toBe(1)
  await query(`UPDATE sessions SET description = NULL WHERE id = 'cli:1'`)
  expect(await found('zebra')).toBe(0)
  expect(await query(`SELECT FROM session_descriptions WHERE session_id = 'cli:1'`)).toEqual([])
})

test.each([
  ['İKİ SUNUCU', 'iki'],
  ['IŞIKLAR', 'ışıklar'],
  ['Máy chủ ở Huế'.normalize('NFD'), 'HUẾ'.normalize('NFC')],
  ['Đà Nẵng', 'da nang'],
  ['Straße', 'STRASSE'],
  ['ΟΔΟΣ', 'οδός'],
  ['МОСКВА', 'москва'],
  ['サーバー', 'ｻｰﾊﾞｰ'],
  ['ห้องประชุมอยู่ชั้นสาม', 'ประชุม'],
  ['Café', 'CAFE\u0301'],
])('"%s" is found by "%s"', async (description, search) => {
  await query(`UPDATE sessions SET description = $1, metadata = '{"script": "any"}' WHERE id = 'cli:1'`, [description])
  // By its description, and by another thing that narrows more.
  for (const metadata of [[], [{ key: 'script', value: 'any' }]]) {
    const { data } = await it.run('alice', SessionsDocument, { first: 5, filter: { search, metadata } })
    expect(data.sessions.edges.map(({ node }) => node.id)).toEqual(['cli:1'])
  }
})
