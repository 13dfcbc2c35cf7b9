/**
 * More comes at once than the server can do: some of it is accepted, the rest is refused as such, and nothing lies in
 * between.
 */
import { chmod, writeFile } from 'node:fs/promises'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { connect } from '../../packages/client/src/connect.ts'
import { configPath } from '../../src/config/load-config.ts'
import { askOperators } from '../harness/ask-operators.ts'
import { createTestDatabase } from '../harness/database.ts'
import { PATIENCE } from '../harness/patience.ts'
import { postAtOnce } from '../harness/pipelined-requests.ts'
import { ServerProcess } from '../harness/server-process.ts'
import { storyConfig, tokenOf } from '../harness/story.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

/** More than may wait at once, so that some must be refused. */
const SENDS = 3000
/** What follows when the database moves again: few enough for some to be accepted, however slow the machine is. */
const SENDS_AFTERWARDS = 200
const SESSIONS = 100
const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) {
  __typename ... on SendMessagePayload { message { id status } } ... on Refusal { code } } }`

test(
  'of thousands of messages at once each is accepted and there, or refused as OVERLOADED and not there',
  { timeout: 300_000 },
  async () => {
    await using home = await createTemporaryHome()
    await using database = await createTestDatabase()
    const settings = { requests_per_minute: 1_000_000, max_concurrent_turns: 1 }
    await chmod(home.path, 0o711)
    await writeFile(configPath(home.path), storyConfig({ settings }), { mode: 0o600 })
    await using server = await ServerProcess.start({ home: home.path, databaseUrl: database.url })
    const bodies = Array.from({ length: SENDS + SENDS_AFTERWARDS }, (_, n) => ({
      query: SEND,
      variables: { input: { sessionId: `cli:${n % SESSIONS}`, content: `message ${n}` } },
    }))

    // Until the first are refused the database stands still: however fast the machine is, more come than it can do.
    const holder = await holdSessions(database.url)
    const caller = { url: server.url, token: tokenOf('ada') }
    const posting = postAtOnce({ ...caller, connections: 200 }, bodies.slice(0, SENDS))
    await vi.waitFor(async () => {
      const metrics = await (await askOperators(server.url, '/metrics')).text()
      expect(metrics).toMatch(/^factotum_http_requests_total\{[^}]*status="503"\}/m)
      expect(metrics).toMatch(/^factotum_database_up 0$/m)
    }, PATIENCE)
    await holder.end()
    // On a busy machine each of the first is refused or given up by the time that the database moves.
    const atOnce = await posting
    const answers = [...atOnce, ...(await postAtOnce({ ...caller, connections: 20 }, bodies.slice(SENDS)))]
    const outcomes = answers.map((answer) => {
      if (answer === undefined) return 'unanswered'
      if (answer.status === 408) return 'read too late'
      const { data, errors } = JSON.parse(answer.body)
      if (answer.status === 200) return data?.sendMessage.__typename ?? errors[0].extensions.code
      const { code, retryAfterMs } = errors[0].extensions
      const hasTime = retryAfterMs >= 1000 && Number(answer.headers.get('retry-after')) >= 1
      return `${answer.status} ${code}${hasTime ? '' : ' without a time'}`
    })
    const counts = Object.groupBy(outcomes, (outcome) => String(outcome))
    // On a busy machine the database stands still for longer than a statement may take, so the outcome of those is
    // unknown, and Node gives up on requests that it could not read in time.
    delete counts['DATABASE_UNAVAILABLE']
    delete counts['read too late']
    expect(Object.keys(counts).sort()).toEqual(['503 OVERLOADED', 'SendMessagePayload'])

    const contentsOf = (outcome: string): string[] =>
      bodies.flatMap(({ variables }, n) => (outcomes[n] === outcome ? [variables.input.content] : []))
    const unknown = new Set(contentsOf('DATABASE_UNAVAILABLE'))
    const stored = await storedContents(database.url)
    expect(stored.filter((content) => !unknown.has(content))).toEqual(contentsOf('SendMessagePayload').sort())
    const failures = server.logs.filter(({ msg }) => msg === 'an operation failed')
    expect(failures.filter((line) => !JSON.stringify(line).includes('DATABASE_UNAVAILABLE'))).toEqual([])
    // Afterwards it is as before, also for those who were refused.
    const client = connect({ url: server.url, token: tokenOf('ada') })
    expect(await client.session('cli:after').send('Hello')).toMatchObject({ __typename: 'SendMessagePayload' })
    client.close()
  },
)

async function storedContents(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ content: string }>(`SELECT content FROM messages WHERE role = 'USER'`)
    return rows.map(({ content }) => content).sort()
  } finally {
    await client.end()
  }
}

/** Nothing is accepted until its connection ends. */
async function holdSessions(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE')
  return client
}
