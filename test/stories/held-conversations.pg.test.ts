/**
 * What a process holds of the conversations that it ran last: their next turn reads none of what was said before, and
 * its models are shown what they would be shown in a process that holds nothing.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { recordStatements } from '../contract/record-statements.ts'
import {
  AppendMessageDocument,
  EraseUserDocument,
  OpenSessionDocument,
  SendMessageDocument,
  SessionDocument,
  UpdateSessionDocument,
} from '../generated/graphql.ts'
import { fillSession } from '../harness/long-history.ts'
import { PATIENCE, PATIENCE_MS } from '../harness/patience.ts'
import { rounds } from '../harness/rounds.ts'
import { converse, Story } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_PLAN } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

const LONG = '😀'.repeat(4100)
const TALK = { ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.slice(1) }

function answer(call: StubCall): StubAnswer {
  if (call.role === 'planner') return { content: TALK }
  const newest = call.body.messages?.at(-1)?.content ?? ''
  if (call.system.startsWith('# You are the assistant'))
    return newest.includes(LONG.slice(0, 20)) ? LONG : `Re ${newest.length % 7}.`
  return answerWell(call)
}

/** A server with a stub of its own, and another process of the same deployment beside it. */
class Side implements AsyncDisposable {
  readonly stub: StubEndpoint
  readonly story: Story
  readonly other: Story

  private constructor(stub: StubEndpoint, story: Story, other: Story) {
    this.stub = stub
    this.story = story
    this.other = other
  }

  static async begin(sessions: number): Promise<Side> {
    const stub = await StubEndpoint.start({ by: answer })
    const settings = { provider_sessions: sessions, summarize_threshold: 6, context_messages: 2 }
    const story = await Story.begin({ config: { settings, toml: stubProvider(stub) } })
    return new Side(stub, story, await Story.begin({ beside: story }))
  }

  /** What the models were shown since the last time, but for what is drawn or told by the clock. */
  prompts(): string[] {
    const calls = this.stub.calls.splice(0)
    return calls.map(({ role, body }) =>
      `${role}: ${JSON.stringify(body.messages)}`
        .replaceAll(/[0-9a-f]{32}/g, 'token')
        .replaceAll(/(?:😀)+/gu, (long) => `long ${long.length}`)
        .replaceAll(/\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2})?/g, 'then'),
    )
  }

  async metric(from: 'memory' | 'database'): Promise<number> {
    const headers = { authorization: `Bearer ${this.story.as('ada').token ?? ''}` }
    const text = await (await fetch(`${this.story.app.url}/metrics`, { headers })).text()
    return Number(new RegExp(`^factotum_turns_said_before_total\\{from="${from}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.other[Symbol.asyncDispose]()
    await this.story[Symbol.asyncDispose]()
    await this.stub.close()
  }
}

let warm: Side
let cold: Side
beforeAll(async () => {
  warm = await Side.begin(5)
  cold = await Side.begin(0)
})
afterAll(async () => {
  await warm[Symbol.asyncDispose]()
  await cold[Symbol.asyncDispose]()
})

const STEPS = ['chat', 'chat', 'plan', 'long', 'elsewhere', 'overheard', 'appended', 'instructed', 'erased'] as const
type Step = (typeof STEPS)[number]

/** Who speaks before may or may not share a turn with what waits. */
async function untilIdle({ story }: Side, id: string): Promise<void> {
  const state = async () => (await story.as('ada').run(SessionDocument, { id })).session
  await expect.poll(state, PATIENCE).toMatchObject({ status: 'IDLE', queueLength: 0 })
}

async function take(side: Side, id: string, step: Step): Promise<void> {
  const ada = side.story.as('ada')
  await untilIdle(side, id)
  switch (step) {
    case 'chat':
      return void (await converse(ada, id, 'Hello there.'))
    case 'plan':
      await ada.run(SendMessageDocument, {
        input: { sessionId: id, content: 'Plan something.', mode: 'PLAN', mentioned: true },
      })
      await untilIdle(side, id)
      return void (await converse(ada, id, 'And then?'))
    case 'long':
      return void (await converse(ada, id, LONG))
    case 'elsewhere':
      return void (await converse(side.other.as('ada'), id, 'From elsewhere.'))
    case 'overheard':
      return void (await side.story.as('ben').run(SendMessageDocument, { input: { sessionId: id, content: 'Lunch?' } }))
    case 'appended':
      return void (await ada.run(AppendMessageDocument, {
        input: { sessionId: id, content: 'By the way.', role: 'ASSISTANT' },
      }))
    case 'instructed':
      return void (await ada.run(UpdateSessionDocument, { input: { id, instructions: 'Be brief.' } }))
    case 'erased':
      return void (await ada.run(EraseUserDocument, { input: { sessionId: id, user: 'ben' } }))
  }
}

test('whatever happens in a session, the models are shown what they would be shown without it', async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { minLength: 3, maxLength: 8 }), async (steps) => {
      count += 1
      const id = `cli:property-${count}`
      const shown: string[][] = []
      for (const side of [warm, cold]) {
        const source = { kind: 'cli', type: 'GROUP' as const }
        await side.story
          .as('ada')
          .run(OpenSessionDocument, { input: { id, mode: 'CHAT', participants: ['ben'], source } })
        side.prompts()
        for (const step of [...steps, 'chat' as const]) await take(side, id, step)
        shown.push(side.prompts())
      }
      expect(shown[0]).toEqual(shown[1])
    }),
    { numRuns: rounds(12, 60), endOnFailure: true },
  )
  // Which of the two processes takes a turn is a race: how often it is the one that holds the conversation, too.
  expect(await warm.metric('memory')).toBeGreaterThan(0)
  expect(await cold.metric('memory')).toBe(0)
})

/**
 * The statements of a turn that begins with its message, right after another one, and the rows of the session that
 * these read. While a claim is under way (each poll makes one) a message only waits: then another one is sent.
 */
async function warmTurn(id: string): Promise<string[]> {
  // The first has what was said summarised.
  for (const text of ['One.', 'And one.']) await converse(warm.story.as('ada'), id, text)
  for (;;) {
    const read = await nextTurn(id)
    if (read.some((text) => text.includes('accepted AS') && text.includes('AS summarize_threshold'))) return read
  }
}

async function nextTurn(id: string): Promise<string[]> {
  const before = await warm.metric('memory')
  const recorded = await recordStatements(async () => {
    await warm.story.as('ada').run(SendMessageDocument, { input: { sessionId: id, content: 'Two.' } })
    await expect.poll(() => warm.metric('memory'), PATIENCE).toBe(before + 1)
    await expect.poll(() => isIdle(id), PATIENCE).toBe(true)
  })
  return [...new Set(recorded.filter((text) => READS.test(text) && !text.startsWith(COMMIT)))].toSorted()
}

/** What a turn reads; what other parts of the server poll is not the turn's. */
const READS = /accepted AS|FROM (?:participants|turn_facts|plans)/
/** How many there are depends on how fast the turn is. */
const COMMIT = 'WITH w_fence AS'

let database: Database
const sql = (text: string, values: readonly unknown[]): Promise<object[]> =>
  database.query({ name: '', text, timeoutMs: PATIENCE_MS }, values)

async function isIdle(id: string): Promise<boolean> {
  const [row] = await sql(`SELECT 1 FROM sessions WHERE id = $1 AND status = 'IDLE'`, [id])
  return row !== undefined
}

test('a warm turn at message 1 000 sends the statements of one at message 10', async () => {
  // Either process may take a turn, and only this one's are counted here.
  await warm.other.app.stop()
  const logger = createLogger({ level: 'silent', pretty: false })
  database = new Database({ url: warm.story.databaseUrl, maxConnections: 1, logger })
  try {
    await fillSession(sql, { id: 'cli:young', turns: 8 })
    await fillSession(sql, { id: 'cli:old', turns: 998 })
    for (const id of ['cli:young', 'cli:old'])
      await warm.story.as('ada').run(UpdateSessionDocument, { input: { id, mode: 'CHAT' } })
    const young = await warmTurn('cli:young')
    expect(young).toContainEqual(expect.stringContaining('accepted AS'))
    expect(await warmTurn('cli:old')).toEqual(young)
  } finally {
    await database.close()
  }
})
