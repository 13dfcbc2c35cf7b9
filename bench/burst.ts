/** (l) Ten thousand messages at one moment: how many are accepted, and how long until the last has its answer. */
import pg from 'pg'
import { postAtOnce } from '../test/harness/pipelined-requests.ts'
import { percentile, show } from './figures.ts'
import { TOKEN, type Stage } from './stage.ts'
import type { Row } from './table.ts'

const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { __typename } }`
/** Below max_queued (100) for each. */
const PER_SESSION = 50
const CONNECTIONS = 500

export async function measureBurst(stage: Stage, { messages }: { messages: number }): Promise<Row[]> {
  await stage.stub.call('hold', true)
  const bodies = Array.from({ length: messages }, (_, n) => ({
    query: SEND,
    variables: { input: { sessionId: `cli:l-${Math.floor(n / PER_SESSION)}`, content: 'A message that waits.' } },
  }))
  const answers = await postAtOnce({ url: stage.url, token: TOKEN, connections: CONNECTIONS }, bodies)
  const answered = answers.filter((answer) => answer !== undefined)
  const accepted = answered.filter(({ body }) => body.includes('SendMessagePayload')).length
  const refused = answered.filter(({ status, body }) => status === 503 && body.includes('OVERLOADED')).length
  const stored = await countMessages(stage.databaseUrl)
  if (stored !== accepted) throw new Error(`${accepted} were accepted, and ${stored} are there`)
  const times = answered.map(({ afterMs }) => afterMs)
  const note = `${accepted} accepted, ${refused} refused, ${messages - accepted - refused} neither; p50 ${show(percentile(times, 0.5))} ms`
  return [
    {
      what: `(l) ${messages} messages at once: until the last answer, ms`,
      value: show(Math.max(...times)),
      floor: '',
      ratio: '',
      note,
    },
  ]
}

async function countMessages(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM messages WHERE role = 'USER'`,
    )
    return rows[0]?.count ?? 0
  } finally {
    await client.end()
  }
}
