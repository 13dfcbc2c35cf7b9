/** (f) How many pages of 50 messages a second one server gives, 8 at once, beside a bare yoga with one in memory. */
import pg from 'pg'
import { median, show } from './figures.ts'
import { HelperProcess } from './helper-process.ts'
import { JsonClient } from './json-client.ts'
import { cpuMs, postgresCpuMs } from './process-usage.ts'
import { TOKEN, type Stage } from './stage.ts'
import type { Row } from './table.ts'
import type { MessageRow, YogaFloorApi } from './yoga-floor-main.ts'

const PAGE = `query Page($id: ID!) {
  session(id: $id) { messages(last: 50) { edges { node { id content status createdAt role user } } } } }`
const SESSIONS = 200
const PER_SESSION = 100
const AT_ONCE = 8

interface Page {
  readonly errors?: unknown
  readonly data: {
    readonly session: { readonly messages: { readonly edges: readonly { readonly node: MessageRow }[] } }
  }
}

interface Asked {
  readonly perSecond: number
  /** CPU of each, ms. */
  readonly server: number
  readonly postgres: number
}

/** Ours and the floor by turns. */
export async function measureMessagePages(
  stage: Stage,
  { rounds, requests }: { readonly rounds: number; readonly requests: number },
): Promise<Row[]> {
  await fill(stage.databaseUrl)
  const http = new JsonClient(TOKEN)
  const first = await ask(http, stage.url, 0)
  await using floor = new HelperProcess<YogaFloorApi>('yoga-floor-main.ts')
  const floorUrl = await floor.call('serve', first)
  const ours = (): Promise<Asked> => askMany(http, { url: stage.url, pid: stage.pid, home: stage.home, requests })
  const bare = (): Promise<Asked> => askMany(http, { url: floorUrl, pid: floor.pid, home: null, requests })
  await ours()
  await bare()
  const found: { readonly ours: Asked; readonly bare: Asked }[] = []
  for (let round = 0; round < rounds; round += 1) found.push({ ours: await ours(), bare: await bare() })
  http.close()
  const [perSecond, floorPerSecond] = [found.map((one) => one.ours.perSecond), found.map((one) => one.bare.perSecond)]
  const ratio = median(found.map((one) => one.ours.perSecond / one.bare.perSecond))
  const cpu = (kind: 'server' | 'postgres'): string => show(median(found.map((one) => one.ours[kind])))
  const floorCpu = show(median(found.map((one) => one.bare.server)))
  return [
    {
      what: '(f) pages of 50 messages of a session, per second, 8 at once',
      value: show(median(perSecond)),
      floor: show(median(floorPerSecond)),
      ratio: show(ratio),
      note: `CPU of each ${cpu('server')} ms of the server (floor ${floorCpu}), ${cpu('postgres')} of PostgreSQL`,
    },
  ]
}

interface Load {
  readonly url: string
  readonly pid: number
  /** Null: nothing of it is in a PostgreSQL. */
  readonly home: string | null
  readonly requests: number
}

async function askMany(http: JsonClient, { url, pid, home, requests }: Load): Promise<Asked> {
  const used = (): number[] => [cpuMs(pid), home === null ? 0 : postgresCpuMs(home)]
  const [serverBefore = 0, postgresBefore = 0] = used()
  const beganMs = performance.now()
  let begun = 0
  const one = async (): Promise<void> => {
    while (begun < requests) {
      begun += 1
      await ask(http, url, begun)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  const seconds = (performance.now() - beganMs) / 1000
  const [server = 0, postgres = 0] = used()
  return {
    perSecond: requests / seconds,
    server: (server - serverBefore) / requests,
    postgres: (postgres - postgresBefore) / requests,
  }
}

async function ask(http: JsonClient, url: string, n: number): Promise<MessageRow[]> {
  const body = { query: PAGE, variables: { id: `paged:${n % SESSIONS}` } }
  const { errors, data } = await http.post<Page>(`${url}/graphql`, body)
  const messages = errors === undefined ? data.session.messages.edges.map(({ node }) => node) : []
  if (messages.length !== 50) throw new Error(`${messages.length} messages: ${JSON.stringify(errors)}`)
  return messages
}

async function fill(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`INSERT INTO sessions (id, source_kind, source_interactive, last_seq, last_activity_at)
    SELECT 'paged:' || n, 'bench', true, 0, now() FROM generate_series(0, ${SESSIONS - 1}) n`)
  await client.query(`INSERT INTO messages
      (id, session_id, seq, role, user_name, content, trusted, status, client, created_at)
    SELECT 'msg_' || lpad(n::text, 26, '0'), 'paged:' || n % ${SESSIONS}, n, 'USER', 'ada',
      'Message ' || n || repeat(' of some words', 3), true, 'DONE', 'bench', now()
    FROM generate_series(1, ${SESSIONS * PER_SESSION}) n`)
  await client.query('VACUUM ANALYZE sessions, messages')
  await client.end()
}
