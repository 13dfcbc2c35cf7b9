/**
 * No two commands of a session run at the same time, whatever becomes of the server that ran the first: it hangs, its
 * host with it, all that it has started stands still and goes on later, or it has died where none can check. Those
 * that can tell do not wait.
 *
 * All of it happens at once, to one server each, and one that nothing happens to takes over: what takes long is the
 * silence after which a server counts as hung.
 */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { configPath } from '../../src/config/load-config.ts'
import { findDescendants } from '../../src/execution/process/process-tree.ts'
import { must } from '../../src/platform/must.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { eventsOf, send, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { hostOf } from '../sandbox/host-of.ts'

/** Real processes take a while to start on a busy machine. */
const PATIENCE_MS = 400_000
/** A node that nobody can see is given up so long after its last beat (src/store/nodes.ts). */
const SILENT_MS = 8000

interface Fault {
  readonly name: string
  /** Its server is on a machine of its own, as far as others can tell. */
  readonly elsewhere: boolean
  /** Who stands still; null: the server is killed. */
  readonly whom: ((server: ServerProcess) => number[]) | null
}

const DIES_ELSEWHERE: Fault = { name: 'a server dies on another machine', elsewhere: true, whom: null }
const DIES_HERE: Fault = { name: 'a server dies on the same machine', elsewhere: false, whom: null }
const HANGS: readonly Fault[] = [
  { name: 'a server stands still', elsewhere: false, whom: ({ pid }) => [pid] },
  {
    name: 'a server and its command host stand still',
    elsewhere: false,
    whom: ({ pid }) => [pid, must(hostOf(pid), 'it has run a command')],
  },
  {
    name: 'a server and all that it has started stand still',
    elsewhere: false,
    whom: ({ pid }) => [pid, ...findDescendants(pid)],
  },
  { name: 'a server on another machine stands still', elsewhere: true, whom: ({ pid }) => [pid] },
]
const FAULTS = [...HANGS, DIES_ELSEWHERE, DIES_HERE]

/** What came of it. */
interface Outcome {
  /** How they ended. */
  readonly turns: readonly unknown[]
  /** Commands that nobody knows the end of. */
  readonly interrupted: number
  /** Who said in which order that it runs. */
  readonly ran: readonly string[]
  /** When another server went on with the session. */
  readonly takenAtMs: number
  /** When its own had last been seen just before. */
  readonly seenAtMs: number
}

const ONE_EACH = { config: { settings: { max_concurrent_turns: 1, max_running_per_user: 100 } } }

/** A server that runs a command that does not end, while another message waits in its session. */
class Scene {
  readonly fault: Fault
  readonly server: ServerProcess
  readonly #cluster: Cluster
  readonly #sessionId: string
  #stopped: readonly number[] = []

  private constructor(scene: Pick<Scene, 'fault' | 'server'>, cluster: Cluster, sessionId: string) {
    this.fault = scene.fault
    this.server = scene.server
    this.#cluster = cluster
    this.#sessionId = sessionId
  }

  /** Resolves when the command runs. */
  static async begin(
    scene: Pick<Scene, 'fault' | 'server'> & { readonly sessionId: string },
    cluster: Cluster,
  ): Promise<Scene> {
    const { sessionId, server, fault } = scene
    const begun = new Scene({ fault, server }, cluster, sessionId)
    await begun.#hears(clientOf(server, 'ada'), 'first begun')
    if (fault.elsewhere)
      await cluster.query(`UPDATE nodes SET process = 'another machine' WHERE id = $1`, [await nodeOf(server)])
    if (fault === DIES_HERE) await neverSilent(cluster, Number(await nodeOf(server)))
    return begun
  }

  async strike(): Promise<void> {
    const { whom } = this.fault
    if (whom === null) return void (await this.server.kill())
    this.#stopped = whom(this.server)
    signalAll(this.#stopped, 'SIGSTOP')
  }

  /** Resolves when the second command runs on `heir`. */
  async takenOver(heir: ServerProcess): Promise<void> {
    await this.#hears(clientOf(heir, 'ada'), 'second begun')
  }

  /** What stood still goes on, and its server notices and is of use again. */
  async goOn(): Promise<void> {
    if (this.fault.whom === null) return
    const joined = await this.server.logged('node joined')
    signalAll(this.#stopped, 'SIGCONT')
    await this.server.logged('node was evicted; its turns continue elsewhere')
    await this.server.logged('node joined', ({ node }) => node !== joined['node'])
  }

  async outcome(heir: ServerProcess, seenAtMs: number): Promise<Outcome> {
    await using watch = watchAll(clientOf(heir, 'ada'), this.#sessionId)
    const ends = [await turnEnd(watch, 1), await turnEnd(watch, 2)]
    const begins = await heir.logged('turn begins', ({ sessionId }) => sessionId === this.#sessionId)
    const updates = eventsOf(watch, 'TaskUpdateEvent')
    const ticks = await this.#cluster.lines(ticksOf(this.#sessionId))
    return {
      turns: ends.map(({ turnStatus }) => turnStatus),
      interrupted: updates.filter(({ taskStatus }) => taskStatus === 'INTERRUPTED').length,
      ran: ticks.filter((line, index) => line !== ticks[index - 1]),
      takenAtMs: Date.parse(begins.time),
      seenAtMs,
    }
  }

  /** Null: it is no node any more. */
  async seenAtMs(): Promise<number | null> {
    const rows = await this.#cluster.query<{ seen_at: Date }>(
      'SELECT seen_at FROM nodes WHERE id = $1 AND evicted_at IS NULL',
      [await nodeOf(this.server)],
    )
    return rows[0]?.seen_at.getTime() ?? null
  }

  async #hears(ada: ApiClient, text: string): Promise<void> {
    await using watch = watchAll(ada, this.#sessionId)
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent' && event.text.includes(text))
  }
}

/** By its row the node beats for another hour, so only what is seen of its process tells that it is gone. */
async function neverSilent(cluster: Cluster, node: number): Promise<void> {
  await cluster.query(`CREATE FUNCTION never_silent() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.seen_at := now() + interval '1 hour';
    IF NEW.evicted_at IS NOT NULL THEN NEW.evicted_at := NEW.seen_at; END IF;
    RETURN NEW; END $$`)
  await cluster.query(`CREATE TRIGGER never_silent BEFORE UPDATE ON nodes FOR EACH ROW
    WHEN (NEW.id = ${node}) EXECUTE FUNCTION never_silent()`)
  await cluster.query('UPDATE nodes SET seen_at = now() WHERE id = $1', [node])
}

async function nodeOf(server: ServerProcess): Promise<unknown> {
  return (await server.logged('node joined'))['node']
}

/** Each server takes one session, as it has one slot; that which gets none is the one that takes over, and has many. */
async function castParts(servers: readonly ServerProcess[], cluster: Cluster) {
  const ada = clientOf(must(servers[0], 'there are several'), 'ada')
  const sessionIds = FAULTS.map((_, index) => `cli:alone-${index}`)
  await Promise.all(sessionIds.map((sessionId) => sendTwo(ada, cluster, sessionId)))
  const ownerOf = async (sessionId: string): Promise<unknown> => {
    const rows = await cluster.query<{ owner: unknown }>('SELECT owner FROM sessions WHERE id = $1', [sessionId])
    return must(rows[0]?.owner, 'a server has taken it')
  }
  const nodes = await Promise.all(servers.map(nodeOf))
  const owners = await Promise.all(
    sessionIds.map((sessionId) => vi.waitFor(() => ownerOf(sessionId), { timeout: PATIENCE_MS })),
  )
  const scenes = await Promise.all(
    FAULTS.map((fault, index) => {
      const server = must(servers[nodes.indexOf(owners[index])], 'it is one of them')
      return Scene.begin({ fault, server, sessionId: must(sessionIds[index], 'one each') }, cluster)
    }),
  )
  const left = servers.find((_, index) => !owners.includes(nodes[index]))
  const heir = must(left, 'there is one server more than sessions')
  await writeFile(configPath(cluster.home), storyConfig())
  await heir.logged('configuration reloaded')
  return { scenes, heir }
}

async function sendTwo(ada: ApiClient, cluster: Cluster, sessionId: string): Promise<void> {
  await send(ada, sessionId, ticking('first', cluster, { sessionId, until: 'never' }))
  await send(ada, sessionId, ticking('second', cluster, { sessionId, until: 'go' }))
}

/**
 * Says again and again that it runs, until there is a file `until`, and at once when another command of its session
 * does.
 */
function ticking(
  name: string,
  cluster: Cluster,
  place: { readonly sessionId: string; readonly until: string },
): string {
  const [ticks, end] = [cluster.path(ticksOf(place.sessionId)), cluster.path(place.until)]
  // What would start a process each time would keep the machine busy.
  const pause = 'read -rt 0.05 <> <(:)'
  const lock = `exec 9>>lock; flock -n 9 || echo ${name} beside another >> ${ticks}`
  return `run: ${lock}; echo ${name} begun; until [ -e ${end} ]; do echo ${name} >> ${ticks}; ${pause}; done`
}

const ticksOf = (sessionId: string): string => `${sessionId.replace(':', '-')}.ticks`

function signalAll(pids: readonly number[], signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended.
    }
  }
}

const stage = new AsyncDisposableStack()
afterAll(() => stage.disposeAsync(), PATIENCE_MS)

const outcomes = new Map<Fault, Outcome>()
beforeAll(async () => {
  const { scenes, heir, cluster, seenAtMs } = await setTheStage()
  await Promise.all(scenes.map((scene) => scene.strike()))
  await Promise.all(scenes.map((scene) => scene.takenOver(heir)))
  await Promise.all(scenes.map((scene) => scene.goOn()))
  await writeFile(cluster.path('go'), '')
  const seen = await Promise.all(scenes.map((scene, index) => scene.outcome(heir, seenAtMs[index] ?? 0)))
  for (const [index, outcome] of seen.entries()) outcomes.set(must(FAULTS[index], 'one each'), outcome)
}, PATIENCE_MS)

interface Stage {
  readonly scenes: readonly Scene[]
  readonly heir: ServerProcess
  readonly cluster: Cluster
  /** When each server had last been seen. */
  readonly seenAtMs: readonly number[]
}

/**
 * On a machine so busy that a server cannot beat, it is evicted before its fault, of which there is nothing to see
 * then: all begins anew.
 */
async function setTheStage(): Promise<Stage> {
  for (;;) {
    await using own = new AsyncDisposableStack()
    const cluster = own.use(await Cluster.begin(ONE_EACH))
    const servers: ServerProcess[] = []
    // One after the other: the first would miss their beats while six others start.
    for (const _ of [...FAULTS, null]) servers.push(await cluster.start())
    const set = await Promise.race([castParts(servers, cluster), evictionIn(servers)])
    if (set === null) continue
    const seen = await Promise.all(set.scenes.map((scene) => scene.seenAtMs()))
    const seenAtMs = seen.filter((one) => one !== null)
    if (seenAtMs.length < seen.length) continue
    stage.use(own.move())
    return { ...set, cluster, seenAtMs }
  }
}

async function evictionIn(servers: readonly ServerProcess[]): Promise<null> {
  await Promise.race(servers.map((server) => server.logged('node was evicted; its turns continue elsewhere')))
  return null
}

const outcomeOf = (fault: Fault): Outcome => must(outcomes.get(fault), 'the stage was played to the end')

test.each(FAULTS)('$name: the next command runs elsewhere when the first has ended, and alone', (fault) => {
  expect(outcomeOf(fault)).toMatchObject({ turns: ['DONE', 'DONE'], interrupted: 1, ran: ['first', 'second'] })
})

test('where no process can check, who goes on waits until the commands must have ended', () => {
  const { takenAtMs, seenAtMs } = outcomeOf(DIES_ELSEWHERE)
  expect(takenAtMs - seenAtMs).toBeGreaterThanOrEqual(SILENT_MS)
})

test('who sees that the commands have ended waits for no silence: by its row there is none', () => {
  expect(outcomeOf(DIES_HERE).ran).toEqual(['first', 'second'])
})
