/** No N+1: the number of statements that a document costs does not grow with the number of rows it shows. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordStatements } from './record-statements.ts'
import { createSchemaWorld, type SchemaWorld } from './schema-world.ts'
import { seedSession } from './seed.ts'

const EVERYTHING = `query ($first: Int!) {
  sessions(first: $first) {
    edges { node {
      id description status lastSeq queueLength metadata usage { calls inputTokens }
      source { kind }
      participants { name role }
      activeTurn { id step message { content } }
      messages(last: 5) { edges { node {
        content queuePosition
        turn { status usage { calls } plans { goal tasks { detail review { verdict } turn { id } } } tasks { output } }
      } } pageInfo { hasPreviousPage } }
      turns(first: 5) { edges { node { step message { content } } } }
      tasks(first: 5) { edges { node { detail plan { goal } } } }
      events(first: 20) { edges { node {
        seq
        ... on MessageReceivedEvent { message { content turn { step } } }
        ... on PlanCreatedEvent { plan { goal tasks { detail } } }
        ... on TaskUpdateEvent { task { output } }
      } } }
    } }
    pageInfo { hasNextPage }
  }
}`

let it: SchemaWorld
beforeAll(async () => {
  it = await createSchemaWorld()
  for (let n = 0; n < 20; n++) {
    const newestTurn = (['DONE', 'RUNNING', 'QUEUED'] as const)[n % 3] ?? 'DONE'
    await seedSession(it.world.context.database, {
      id: `cli:${n}`,
      participants: ['alice', 'bob'],
      messages: 5,
      newestTurn,
    })
  }
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

async function cost(first: number): Promise<string[]> {
  return recordStatements(async () => {
    const answer = await it.run<{ sessions: { edges: unknown[] } }, { first: number }>('alice', EVERYTHING, { first })
    expect(answer.codes).toEqual([])
    expect(answer.data.sessions.edges).toHaveLength(first)
  })
}

test('twenty sessions with five messages each cost as many statements as three', async () => {
  // Three: the newest turn of one is done, of one queued, of one running.
  expect(await cost(3)).toHaveLength(26)
  expect(await cost(20)).toHaveLength(26)
})

test('a page of a long conversation reads that page, not the conversation', async () => {
  const { database } = it.world.context
  await seedSession(database, { id: 'cli:long', participants: ['bob'], messages: 400 })
  const document = '{ session(id: "cli:long") { messages(last: 2) { edges { node { content } } } } }'
  const statements = await recordStatements(() => it.run('bob', document))
  expect(statements).toHaveLength(2)
  const page = statements.find((statement) => statement.includes('LATERAL')) ?? ''
  await database.query({ name: '', text: 'ANALYZE messages' }, [])
  const plan = await database.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    { name: '', text: `EXPLAIN (ANALYZE, FORMAT JSON) ${page}` },
    [['cli:long'], -1, 2 ** 31, 3],
  )
  expect(rowsRead(plan[0]?.['QUERY PLAN'][0]?.Plan)).toEqual([3])
})

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly Plans?: readonly PlanNode[]
}

/** How many rows each scan of a table returned. */
function rowsRead(node: PlanNode | undefined): number[] {
  if (node === undefined) return []
  return [
    ...(node['Relation Name'] === undefined ? [] : [node['Actual Rows']]),
    ...(node.Plans ?? []).flatMap(rowsRead),
  ]
}

test('a message is sent in one statement, unless more than its id is asked for', async () => {
  const send = (fields: string): Promise<string[]> =>
    recordStatements(async () => {
      const document = `mutation { sendMessage(input: { sessionId: "cli:sent", content: "hi" }) {
        __typename ... on SendMessagePayload { message { ${fields} } }
      } }`
      const answer = await it.run('alice', document)
      expect(answer).toMatchObject({
        codes: [],
        data: { sendMessage: { message: { id: expect.stringMatching(/^msg_/) } } },
      })
    })
  expect(await send('id __typename')).toHaveLength(1)
  expect(await send('id content')).toHaveLength(2)
})
