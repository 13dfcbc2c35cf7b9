/**
 * The crash test: two servers under load, of which one or the other is killed at random, again and again; now and then
 * one hangs, or the database goes away. Then everything comes to rest, and what was promised is compared with what came
 * of it. Run by `npm run test:crash` (main.ts), and in a small version by `npm run test:processes`.
 */
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { newToken } from '../../src/config/command-line/new-token.ts'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { configPath } from '../../src/config/load-config.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { randomHex } from '../../src/platform/random.ts'
import type { LogLine } from '../harness/server-process.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import { readFinalDecisions, type FinalDecisions } from './final-decisions.ts'
import { readFinalRecords } from './final-records.ts'
import { readFinalState } from './final-state.ts'
import { judge, type Verdict } from './judge.ts'
import { judgeDecisions, type DecisionsVerdict } from './judge-decisions.ts'
import { judgeDelegations, readFinalDelegations } from './delegations.ts'
import { judgeCalls, readFinalCalls } from './plugin-load.ts'
import { judgeRecords, type RecordsVerdict } from './judge-records.ts'
import { SeededRandom } from '../harness/seeded-random.ts'
import { ServerPair } from './server-pair.ts'
import { ASKS_FIRST } from './session-load.ts'
import { ADMINS, REST_TIMEOUT_MS, StormLoad } from './storm-load.ts'
import { StormReceiver } from './storm-receiver.ts'
import { Takeovers } from './takeovers.ts'

export interface StormOptions {
  /** An empty FACTOTUM_HOME. */
  readonly home: string
  readonly databaseUrl: string
  readonly seed: number
  readonly sessions: number
  /** How many schedules fire again and again. */
  readonly schedules: number
  readonly kills: number
  /** How often a server hangs for longer than it takes to be taken for dead. */
  readonly pauses: number
  /** How often the connections are cut by which the servers say that they live. */
  readonly nodeCuts: number
  /** How often the database is killed. */
  readonly databaseKills: number
  /** Kills the database, which then comes back by itself. Called as often as `databaseKills` says. */
  readonly killDatabase: () => void
  /** How often the process that starts a server's commands is killed. */
  readonly hostKills: number
  /** How often it stands still: for a moment, or until it is replaced. */
  readonly hostStops: number
  /** How often the database is asked to stop, and comes back by itself; called as often. */
  readonly databaseRestarts: number
  readonly restartDatabase: () => void
  /** How often all processes of the database stand still; `pauseDatabase` resolves when they go on. */
  readonly databasePauses: number
  readonly pauseDatabase: (ms: number) => Promise<void>
  /** How often a single connection to the database is reset, whatever it is doing. */
  readonly drops: number
  /** For how long the database cannot be reached; 0: never. */
  readonly outageMs: number
  readonly onProgress: (text: string) => void
  /** Each line that a server logs, with its pid. */
  readonly onLog?: (server: number, line: LogLine) => void
}

/** What else broke a promise. */
interface Beside {
  readonly overlaps: readonly string[]
  readonly plugins: readonly string[]
  readonly delegations: readonly string[]
}

export interface StormReport {
  readonly verdict: Verdict & RecordsVerdict & DecisionsVerdict & Beside
  readonly figures: {
    readonly durationMs: number
    readonly serversStarted: number
    readonly messagesAccepted: number
    readonly sendAttempts: number
    readonly commandsMarked: number
    readonly commandsInterrupted: number
    /** Calls of the plugin's tool that are done, and how often it was switched on or off. */
    readonly toolCalls: number
    readonly switches: number
    readonly delegations: number
    readonly events: number
    readonly subscribers: number
    readonly connections: number
    readonly deliveries: number
    readonly deliveriesDead: number
    readonly posts: number
    readonly learnings: number
    readonly facts: number
    readonly files: number
    readonly auditEntries: number
    readonly approvals: number
    readonly approvalsExpired: number
    /** Runs of schedules, and how many of them were skipped because another one was under way. */
    readonly runs: number
    readonly runsSkipped: number
    /** The longest that a client waited to hear that the database is away. */
    readonly longestRefusalMs: number
    /** How long turns lay still after a kill, shortest first. */
    readonly takeoversMs: readonly number[]
    /** The same for processes that hung. */
    readonly hangTakeoversMs: readonly number[]
  }
}

/** More than it takes until a silent node counts as dead. */
const PAUSE_MS = 15_000
/** Less than it takes until a host that does not answer is replaced, and more. */
const HOST_STOP_MS = 3_000
const HOST_REPLACED_MS = 8_000
const DATABASE_PAUSE_MS = 5_000
/** How often a server is killed without waiting for the last one that was killed to be back. */
const ALONE_CHANCE = 0.15
/** Some approvals are left to expire, while their session waits. */
const APPROVAL_TIMEOUT_S = 2

/** Rejects when a server does not start; what goes wrong otherwise is in the report. */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  const startedAtMs = performance.now()
  const random = new SeededRandom(options.seed)
  const takeovers = new Takeovers()
  const tokens = await writeConfig(options.home)
  await using proxy = await TcpProxy.start(options.databaseUrl)
  const databaseUrl = proxy.through(options.databaseUrl)
  await using receiver = await StormReceiver.start(random.fork())
  await using servers = new ServerPair({ ...options, databaseUrl, takeovers, random: random.fork() })
  const marks = join(options.home, 'marks')
  const overlaps = join(options.home, 'overlaps')
  const scheduleMarks = join(options.home, 'schedule-marks')
  const toolMarks = join(options.home, 'tool-marks')
  const load = new StormLoad({
    ...options,
    tokens,
    run: randomHex(3),
    marks,
    overlaps,
    scheduleMarks,
    toolMarks,
    webhookOf: (index) => receiver.webhookOf(index),
    anyUrl: (by) => servers.anyUrl(by),
    random: random.fork(),
  })
  await Promise.race([wreak(options, { servers, proxy, random }), load.start()])
  const atRest = await load.rest()

  const { sessions: loads, sessionIds: ids, scheduleIds } = load
  const state = await readFinalState(options.databaseUrl, ids)
  const lines = await linesOf(marks)
  const calls = await readFinalCalls(options.databaseUrl, ids)
  const delegated = await readFinalDelegations(options.databaseUrl, ids)
  const unsettled = await load.plugin.settle()
  const decisions = await readFinalDecisions(options.databaseUrl, { sessionIds: ids, scheduleIds })
  const records = await readFinalRecords(options, [...ids, ...decisions.schedules.flatMap(({ sessions }) => sessions)])
  const accepted = loads.flatMap((one) => one.accepted)
  const done = { decisions: load.deciders, firings: load.schedules, marks: await linesOf(scheduleMarks) }
  const verdict = {
    overlaps: (await linesOf(overlaps)).map((folder) => `a command ran beside another one in ${folder}`),
    ...judge(loads, state, lines),
    ...judgeRecords(accepted, receiver, records),
    ...judgeDecisions(done, decisions),
    delegations: judgeDelegations(delegated),
    plugins: [...unsettled, ...judgeCalls(calls, await linesOf(toolMarks))],
  }
  const late = atRest ? [] : [`not every turn was seen to end within ${REST_TIMEOUT_MS / 1000} s`]
  return {
    verdict: {
      ...verdict,
      unended: [...verdict.unended, ...late],
      complaints: [...verdict.complaints, ...load.complaints, ...servers.alarms],
    },
    figures: {
      durationMs: performance.now() - startedAtMs,
      serversStarted: servers.started,
      messagesAccepted: sum(loads, (one) => one.accepted.length),
      sendAttempts: sum(loads, (one) => one.attempts),
      commandsMarked: lines.length,
      commandsInterrupted: state.commands.filter(({ status }) => status === 'INTERRUPTED').length,
      toolCalls: calls.filter(({ status }) => status === 'DONE').length,
      switches: load.plugin.switched,
      delegations: delegated.length,
      events: sum([...state.events.values()], (events) => events.length),
      subscribers: sum(loads, (one) => one.followers.length),
      connections: sum(loads, (one) => sum(one.followers, (follower) => follower.connections)),
      deliveries: records.deliveries.length,
      deliveriesDead: records.deliveries.filter(({ status }) => status === 'DEAD').length,
      posts: receiver.posts.length,
      learnings: records.learnings.length,
      facts: records.learnings.filter(({ status }) => status === 'PROMOTED').length,
      files: sum(records.publications, ({ files }) => files),
      auditEntries: records.auditEntries,
      ...countDecisions(decisions),
      longestRefusalMs: Math.max(0, ...loads.map((one) => one.longestRefusalMs)),
      takeoversMs: takeovers.delaysMs('KILLED'),
      hangTakeoversMs: takeovers.delaysMs('HANGS'),
    },
  }
}

interface Stage {
  readonly servers: ServerPair
  readonly proxy: TcpProxy
  readonly random: SeededRandom
}

/** Everything bad that happens, one after another. */
async function wreak(options: StormOptions, { servers, proxy, random }: Stage): Promise<void> {
  const { kills, pauses, databaseKills, killDatabase, drops, outageMs, onProgress } = options
  await servers.settled()
  onProgress('two servers run')
  for (let kill = 1; kill <= kills; kill += 1) {
    // Mostly there is another to take over; sometimes there is none.
    if (!random.chance(ALONE_CHANCE)) await servers.settled()
    await sleep(random.between(0, 1000))
    await servers.kill()
    if (kill % 10 === 0) onProgress(`${kill} of ${kills} kills`)
  }
  await servers.settled()
  for (let pause = 1; pause <= pauses; pause += 1) {
    await sleep(2000) // until both have turns to run
    onProgress(`a server hangs for ${PAUSE_MS / 1000} s (${pause} of ${pauses})`)
    await servers.pause(PAUSE_MS)
  }
  await cutNodes(options, random)
  await harmHosts(options, { servers, random })
  if (drops > 0) onProgress(`connections to the database are reset, ${drops} of them one by one`)
  for (let drop = 1; drop <= drops; drop += 1) {
    await sleep(random.between(10, 200))
    proxy.cutOne((count) => random.between(0, count - 1))
  }
  for (let kill = 1; kill <= databaseKills; kill += 1) {
    onProgress(`the database is killed (${kill} of ${databaseKills})`)
    killDatabase()
    await sleep(random.between(2000, 6000))
  }
  await harmDatabase(options, random)
  if (outageMs > 0) {
    onProgress(`the database goes away for ${outageMs / 1000} s: first it refuses, then it is silent`)
    proxy.cut()
    await sleep(outageMs / 2)
    proxy.silence()
    await sleep(outageMs / 2)
    proxy.restore()
  }
  await sleep(1000)
  onProgress('waiting until everything has ended')
}

async function cutNodes({ nodeCuts, databaseUrl, onProgress }: StormOptions, random: SeededRandom): Promise<void> {
  if (nodeCuts > 0) onProgress(`the node connections of both servers are cut, ${nodeCuts} times`)
  for (let cut = 1; cut <= nodeCuts; cut += 1) {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'factotum node' AND datname = current_database()`,
    )
    await client.end()
    await sleep(random.between(500, 3000))
  }
}

async function harmHosts(
  { hostKills, hostStops, onProgress }: StormOptions,
  { servers, random }: Pick<Stage, 'servers' | 'random'>,
): Promise<void> {
  if (hostKills > 0) onProgress(`command hosts are killed, ${hostKills} of them one by one`)
  for (let kill = 1; kill <= hostKills; kill += 1) {
    await sleep(random.between(200, 1500))
    await servers.harmHost('KILL')
  }
  for (let stop = 1; stop <= hostStops; stop += 1) {
    const goesOn = stop % 2 === 0
    onProgress(
      `a command host stands still ${goesOn ? 'and goes on' : 'until it is replaced'} (${stop} of ${hostStops})`,
    )
    await servers.harmHost('STOP', goesOn ? HOST_STOP_MS : null)
    if (!goesOn) await sleep(HOST_REPLACED_MS)
  }
}

async function harmDatabase(options: StormOptions, random: SeededRandom): Promise<void> {
  const { databaseRestarts, restartDatabase, databasePauses, pauseDatabase, onProgress } = options
  for (let restart = 1; restart <= databaseRestarts; restart += 1) {
    onProgress(`the database is restarted (${restart} of ${databaseRestarts})`)
    restartDatabase()
    await sleep(random.between(2000, 6000))
  }
  for (let pause = 1; pause <= databasePauses; pause += 1) {
    onProgress(`the database stands still for ${DATABASE_PAUSE_MS / 1000} s (${pause} of ${databasePauses})`)
    await pauseDatabase(DATABASE_PAUSE_MS)
    await sleep(2000)
  }
}

/** How many there were of each, for the report. */
function countDecisions({ approvals, runs }: FinalDecisions) {
  return {
    approvals: approvals.length,
    approvalsExpired: approvals.filter(({ status }) => status === 'EXPIRED').length,
    runs: runs.length,
    runsSkipped: runs.filter(({ status }) => status === 'SKIPPED').length,
  }
}

/** Two admins, who may ask as often as they like. */
async function writeConfig(home: string): Promise<[string, string]> {
  const tokens = [newToken(), newToken()] as const
  const people = ADMINS.map(
    (user, index) => `[users.${user}]
role = "admin"
[tokens.${user}]
kind = "user"
user = "${user}"
sha256 = "${tokens[index]?.sha256}"
webhook_secret = "${newWebhookSecret()}"
`,
  )
  const toml = `${people.join('')}[settings]
requests_per_minute = 1000000
webhook_allow_list = ["127.0.0.1"]
approval_timeout = ${APPROVAL_TIMEOUT_S}
[[approvals.rules]]
effect = "require"
command = "${ASKS_FIRST}"
`
  await chmod(home, 0o711)
  await writeFile(configPath(home), toml, { mode: 0o600 })
  return [tokens[0].token, tokens[1].token]
}

async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await systemClock.sleep(ms, signal)
}
