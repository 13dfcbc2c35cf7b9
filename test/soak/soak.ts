/**
 * The soak: two servers, sessions that are shared by people who come and go, a text in each that no stranger may ever
 * see, and everybody reading and trying all the time, while servers are killed. Run by `npm run test:soak` (main.ts),
 * and in a small version by `npm run test:processes`.
 */
import { chmod, writeFile } from 'node:fs/promises'
import { configPath } from '../../src/config/load-config.ts'
import { randomHex } from '../../src/platform/random.ts'
import { Deciders } from '../crash/deciders.ts'
import { SeededRandom } from '../harness/seeded-random.ts'
import { ServerPair } from '../crash/server-pair.ts'
import { Takeovers } from '../crash/takeovers.ts'
import { OpenSessionDocument, TasksDocument } from '../generated/graphql.ts'
import { Director } from './director.ts'
import { Ledger } from './ledger.ts'
import { Prober } from './prober.ts'
import { makeConnectors, makePeople, PREFIXES, ROOT, soakToml, tokenOf } from './soak-config.ts'
import { Speaker } from './speaker.ts'
import { Watcher } from './watcher.ts'
import { ask, pause, type World } from './world.ts'

export interface SoakOptions {
  /** An empty FACTOTUM_HOME, and an empty database. */
  readonly home: string
  readonly databaseUrl: string
  readonly seed: number
  readonly sessions: number
  /** Of them five take part in each session. */
  readonly people: number
  readonly durationMs: number
  /** How often a server is killed. */
  readonly kills: number
  /**
   * Between one message and the next, one change of members and the next, one change of roles and the next, and what
   * one person tries and tries next; on average.
   */
  readonly everyMs: { readonly message: number; readonly move: number; readonly role: number; readonly probe: number }
  /** How long a user follows something at most. */
  readonly followMs: number
  readonly onProgress: (text: string) => void
}

export interface SoakReport {
  /** What a user saw or did who may not. */
  readonly findings: readonly string[]
  /** What a healthy server has no reason to log. */
  readonly alarms: readonly string[]
  readonly counts: World['counts']
  readonly serversStarted: number
}

const MEMBERS = 5
const OPEN_AT_ONCE = 8
/** They speak at the same time, each a part of what is said. */
const SPEAKERS = 4

/** Rejects when a server does not start. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const random = new SeededRandom(options.seed)
  const world = makeWorld(options, random, (by) => servers.anyUrl(by))
  await chmod(options.home, 0o711)
  await writeFile(configPath(options.home), soakToml({ ...world, states: new Map() }), { mode: 0o600 })
  const { home, databaseUrl } = options
  await using servers = new ServerPair({ home, databaseUrl, takeovers: new Takeovers(), random: random.fork() })
  await servers.settled()
  await openSessions(world, random)
  options.onProgress(`${world.sessions.length} sessions are open`)

  const stop = new AbortController()
  const work = Promise.all(startAll(world, options, { random, signal: stop.signal }))
  await Promise.race([rage(options, { servers, random, world }), failureOf(work)])
  stop.abort()
  await work
  const { findings, counts } = world
  return { findings, counts, alarms: servers.alarms, serversStarted: servers.started }
}

function makeWorld({ sessions, people }: SoakOptions, random: SeededRandom, anyUrl: World['anyUrl']): World {
  const run = randomHex(3)
  const ledger = new Ledger(run)
  const connectors = makeConnectors(random)
  const world: World = {
    ledger,
    connectors,
    rootToken: tokenOf(ROOT, random),
    people: makePeople(people, random),
    sessions: Array.from({ length: sessions }, (_, index) => {
      const prefix = PREFIXES[index % PREFIXES.length] ?? 'cli'
      return { index, prefix, id: `${prefix}:${run}-${index}`, inside: [] }
    }),
    anyUrl,
    findings: [],
    counts: { sent: 0, joins: 0, leaves: 0, roles: 0, probes: 0, frames: 0, seen: 0 },
  }
  ledger.enter(ROOT, 0)
  for (const { name, prefix } of connectors)
    for (const session of world.sessions) if (session.prefix === prefix) ledger.enter(name, 0, session.index)
  return world
}

/** Each by whose name space it is in, with its members, and its first text in description and metadata. */
async function openSessions(world: World, random: SeededRandom): Promise<void> {
  const { sessions, people, connectors, ledger, rootToken } = world
  const queue = [...sessions]
  const root = { name: ROOT, token: rootToken, random }
  const openAll = async (): Promise<void> => {
    for (let session = queue.pop(); session !== undefined; session = queue.pop()) {
      const { id, index, prefix } = session
      const members = new Set<string>()
      while (members.size < Math.min(MEMBERS, people.length)) members.add(random.pick(people).name)
      for (const name of members) ledger.enter(name, performance.now(), index)
      const canary = ledger.say(index, performance.now())
      const about = { description: `${canary} is its text`, metadata: { note: canary } }
      const input = { id, participants: [...members], source: { kind: prefix, interactive: true }, ...about }
      const what = 'openSession'
      const connector = connectors.find((one) => one.prefix === prefix)
      const opener = connector === undefined ? root : { ...connector, random }
      const reply = await ask(world, opener, { what, send: (client) => client.request(OpenSessionDocument, { input }) })
      if (reply?.data?.openSession.__typename !== 'OpenSessionPayload')
        throw new Error(`${id} does not open: ${JSON.stringify(reply)}`)
    }
  }
  await Promise.all(Array.from({ length: OPEN_AT_ONCE }, openAll))
}

/** Everybody at work until `signal` aborts. */
function startAll(
  world: World,
  { home, everyMs, followMs }: SoakOptions,
  { random, signal }: { readonly random: SeededRandom; readonly signal: AbortSignal },
): Promise<void>[] {
  const { people, connectors, rootToken, anyUrl } = world
  const root = { name: ROOT, token: rootToken }
  const director = new Director(world, { random: random.fork(), configPath: configPath(home) })
  const deciders = new Deciders({
    people: [{ user: ROOT, token: rootToken }],
    prefix: '',
    anyUrl,
    random: random.fork(),
  })
  return [
    ...[...people, ...connectors, root].flatMap(({ name, token }) => [
      new Watcher({ world, name, token, random: random.fork() }).watch(signal, followMs),
      ...(name === ROOT
        ? []
        : [new Prober({ world, name, token, random: random.fork() }).probe(signal, everyMs.probe)]),
    ]),
    ...Array.from({ length: SPEAKERS }, () =>
      new Speaker(world, random.fork()).speak(signal, everyMs.message * SPEAKERS),
    ),
    director.move(signal, everyMs.move),
    director.change(signal, everyMs.role),
    deciders.decide(signal),
    learnIds(world, { random: random.fork(), signal }),
  ]
}

/** Ids of tasks and approvals, for those who try them. */
async function learnIds(
  world: World,
  { random, signal }: { readonly random: SeededRandom; readonly signal: AbortSignal },
): Promise<void> {
  const root = { name: ROOT, token: world.rootToken, random }
  const send = (client: Parameters<Parameters<typeof ask>[2]['send']>[0]) =>
    client.request(TasksDocument, { first: 100 })
  while (!signal.aborted) {
    const reply = await ask(world, root, { what: 'tasks', send })
    for (const { node } of reply?.data?.tasks.edges ?? []) {
      const [canary] = world.ledger.find(JSON.stringify(node))
      world.sessions.find(({ index }) => index === canary?.session)?.inside.push(node.id)
    }
    await pause(1000)
  }
}

async function rage(
  { kills, durationMs, onProgress }: SoakOptions,
  { servers, random, world }: { readonly servers: ServerPair; readonly random: SeededRandom; readonly world: World },
): Promise<void> {
  const pauseMs = durationMs / (kills + 1)
  for (let kill = 1; kill <= kills + 1; kill += 1) {
    await pause(pauseMs * (0.5 + random.fraction() / 2))
    await pause(pauseMs / 4)
    if (kill <= kills) await servers.kill()
    const { sent, seen, leaves, roles } = world.counts
    onProgress(
      `${kill - 1} kills, ${sent} messages, ${leaves} left, ${roles} roles changed; seen ${seen} times, by right`,
    )
    await servers.settled()
  }
}

/** Rejects with what made `work` fail; never resolves. */
function failureOf(work: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    work.catch(reject)
  })
}
