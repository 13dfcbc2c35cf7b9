/**
 * `npm run test:failover`: see `usage`. Exit codes: 0 every promise was kept, 1 one was broken or the test could not
 * run, 2 wrong usage.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { connect } from '../../packages/client/src/connect.ts'
import { must } from '../../src/platform/must.ts'
import { Cluster } from '../harness/cluster.ts'
import { tokenOf } from '../harness/story.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import { HaProxy } from './ha-proxy.ts'
import { StandbyPair } from './standby-pair.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

const usage = `npm run test:failover -- [options]

Two server processes on a PostgreSQL with a synchronous standby, both of Debian's packages: once behind one address that
moves, once with both hosts in DATABASE_URL, once behind HAProxy with deploy/haproxy.cfg. Under load the first PostgreSQL
dies; for a while there is only the standby, which is read-only; then that is promoted. No accepted message may be lost, no command run twice, no event missed or repeated, and
turns must go on within 15 s of the promotion.

  --by <way>       "address", "hosts" or "haproxy"               all, one after the other
  --sessions <n>   how many sessions are busy at the same time   default 6
  --help           this

Needs apt-get install postgresql haproxy.`

const DEFAULT_SESSIONS = 6
const GOES_ON_WITHIN_MS = 15_000
const READ_ONLY_MS = 3000
const LOAD_MS = 8000

const WAYS = ['address', 'hosts', 'haproxy'] as const
type Way = (typeof WAYS)[number]

const CALLED: Readonly<Record<Way, string>> = {
  address: 'one address that moves',
  hosts: 'both hosts in DATABASE_URL',
  haproxy: 'HAProxy',
}

const { values } = parseArgs({
  options: { sessions: { type: 'string' }, by: { type: 'string' }, help: { type: 'boolean' } },
})
if (values.help === true) console.log(usage)
else
  for (const way of WAYS.filter((each) => values.by === undefined || values.by === each)) {
    await runFailover(way, Number(values.sessions ?? DEFAULT_SESSIONS))
  }

async function runFailover(way: Way, sessions: number): Promise<void> {
  console.log(`${CALLED[way]}:`)
  await using folder = await createTemporaryHome()
  await using pair = await StandbyPair.start(folder.path)
  await using proxy = await TcpProxy.start(pair.primaryUrl)
  await using haproxy = way === 'haproxy' ? await HaProxy.start(folder.path, [pair.primaryUrl, pair.standbyUrl]) : null
  const databaseUrl = haproxy?.url ?? (way === 'hosts' ? pair.bothUrl : proxy.through(pair.primaryUrl))
  await using cluster = await Cluster.begin({ databaseUrl })
  const servers = [await cluster.start(), await cluster.start()]
  const isOver = new AbortController()
  const busy = Array.from({ length: sessions }, (_, n) => {
    return keepBusy(must(servers[n % 2], 'a server').url, `cli:failover-${n}`, {
      isOver: isOver.signal,
      marks: cluster.path('marks'),
    })
  })
  await pause(LOAD_MS)
  await pair.killPrimary()
  console.log(`the primary is dead; accepted so far: ${total(busy)}`)
  proxy.cut()
  proxy.leadTo(pair.standbyUrl)
  proxy.restore()
  const acceptedBefore = total(busy)
  await pause(READ_ONLY_MS)
  assert.equal(total(busy), acceptedBefore, 'nothing is accepted by a read-only server')
  const promotedMs = performance.now()
  await pair.promoteStandby()
  const ended = await Promise.race([
    Promise.all(busy.map(({ endsAgain }) => endsAgain())),
    pause(4 * GOES_ON_WITHIN_MS, null, { ref: false }),
  ])
  const tookMs = Math.round(performance.now() - promotedMs)
  assert.notEqual(ended, null, 'turns of every session go on')
  console.log(`a turn of every session has ended ${tookMs} ms after the promotion began`)
  await pause(LOAD_MS)
  isOver.abort()
  await Promise.all(busy.map(({ settled }) => settled))
  await judge(pair.standbyUrl, busy, await cluster.lines('marks'))
  assert(tookMs < GOES_ON_WITHIN_MS, `turns went on after ${tookMs} ms`)
  assert(
    servers.every((server) => server.isRunning),
    'no server ended',
  )
}

interface Busy {
  readonly sessionId: string
  readonly accepted: string[]
  readonly seqs: number[]
  /** Resolves when the next turn of which nothing is known yet has ended. */
  readonly endsAgain: () => Promise<void>
  readonly settled: Promise<void>
}

/** Sends one message after the other, each with a command that leaves a mark, and follows the log from the start. */
function keepBusy(url: string, sessionId: string, { isOver, marks }: { isOver: AbortSignal; marks: string }): Busy {
  const session = connect({ url, token: tokenOf('ada') }).session(sessionId)
  const [accepted, seqs]: [string[], number[]] = [[], []]
  const waiting = new Set<() => void>()
  const left = new AbortController()
  let ends = 0
  const follow = async (): Promise<void> => {
    for await (const event of session.events({ after: 0, signal: left.signal })) {
      seqs.push(event.seq)
      if (event.__typename !== 'TurnCompletedEvent') continue
      ends += 1
      for (const resolve of waiting) resolve()
      waiting.clear()
    }
  }
  const endsAgain = (): Promise<void> => new Promise((resolve) => void waiting.add(resolve))
  const send = async (): Promise<void> => {
    for (let n = 0; !isOver.aborted; n += 1) {
      const mark = `${sessionId} ${n}`
      const sent = await session.send(`run: echo '${mark}' >> ${marks}; sleep 0.05\nDone?`)
      assert.equal(sent.__typename, 'SendMessagePayload')
      accepted.push(mark)
      while (ends < accepted.length) await endsAgain()
    }
    left.abort()
  }
  const settled = Promise.all([send(), follow()]).then(() => undefined)
  return { sessionId, accepted, seqs, endsAgain, settled }
}

function total(busy: readonly Busy[]): number {
  return busy.reduce((sum, { accepted }) => sum + accepted.length, 0)
}

async function judge(url: string, busy: readonly Busy[], marks: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const { sessionId, accepted, seqs } of busy) {
      const messages = await client.query<{ content: string; status: string }>(
        'SELECT m.content, t.status FROM messages m JOIN turns t ON t.message_id = m.id WHERE m.session_id = $1 ORDER BY m.seq',
        [sessionId],
      )
      const stored = messages.rows.map(({ content }) => /'(.*)'/.exec(content)?.[1])
      assert.deepEqual(stored, accepted, `${sessionId}: every accepted message is there, once, in order`)
      assert.deepEqual(
        messages.rows.filter(({ status }) => status !== 'DONE'),
        [],
        `${sessionId}: every turn is done`,
      )
      const events = await client.query<{ seq: number }>(
        'SELECT seq FROM events WHERE session_id = $1 AND seq <= $2 ORDER BY seq',
        [sessionId, seqs.at(-1) ?? 0],
      )
      const seen = new Set(seqs)
      assert.equal(seen.size, seqs.length, `${sessionId}: no event came twice`)
      assert.deepEqual(
        events.rows.filter(({ seq }) => !seen.has(seq)),
        [],
        `${sessionId}: no event was missed`,
      )
    }
  } finally {
    await client.end()
  }
  assert.equal(new Set(marks).size, marks.length, 'no command ran twice')
  console.log(`accepted: ${total(busy)}, all there and done; commands that left a mark: ${marks.length}, none twice`)
}
