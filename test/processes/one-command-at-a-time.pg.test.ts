/**
 * No two commands of a session run at the same time, whatever becomes of the server that ran the first: it hangs, its
 * host with it, all that it has started stands still and goes on later, or it has died where none can check. Those
 * that can tell do not wait.
 */
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { findDescendants } from '../../src/execution/process/process-tree.ts'
import { must } from '../../src/platform/must.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { hostOf } from '../sandbox/host-of.ts'

/** Real processes take a while to start on a busy machine. */
const PATIENCE_MS = 400_000
/** A node that nobody can see is given up so long after its last beat (src/store/nodes.ts). */
const SILENT_MS = 8000
const SESSION = 'cli:alone'
const TICKS = 'ticks'

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

/** What came of it. */
interface Outcome {
  /** How they ended. */
  readonly turns: readonly unknown[]
  /** Commands that nobody knows the end of. */
  readonly interrupted: number
  /** Who said in which order that it runs. */
  readonly ran: readonly string[]
  /** When another server went on with the session, after its own had last been seen. */
  readonly takenAfterMs: number
}

/**
 * On a machine so busy that a server cannot beat, it is evicted before its fault, of which there is nothing to see
 * then, or the one that takes over is, and its command with it: all begins anew.
 */
async function play(fault: Fault): Promise<Outcome> {
  for (;;) {
    await using cluster = await Cluster.begin()
    const scene = await Scene.begin(fault, cluster)
    const outcome = await Promise.race([scene.play(), scene.heirIsEvicted()])
    if (outcome !== null) return outcome
  }
}

/** A server that runs a command that does not end, while another message waits in its session, and one to take over. */
class Scene {
  readonly #fault: Fault
  readonly #cluster: Cluster
  readonly #server: ServerProcess
  readonly #heir: ServerProcess

  private constructor(fault: Fault, cluster: Cluster, servers: Record<'server' | 'heir', ServerProcess>) {
    this.#fault = fault
    this.#cluster = cluster
    this.#server = servers.server
    this.#heir = servers.heir
  }

  /** Resolves when the command runs. */
  static async begin(fault: Fault, cluster: Cluster): Promise<Scene> {
    const server = await cluster.start()
    const ada = clientOf(server, 'ada')
    await send(ada, SESSION, ticking('first', cluster, 'never'))
    await send(ada, SESSION, ticking('second', cluster, 'go'))
    await hears(ada, 'first begun')
    const heir = await cluster.start()
    const node = await nodeOf(server)
    if (fault.elsewhere) await cluster.query(`UPDATE nodes SET process = 'another machine' WHERE id = $1`, [node])
    if (fault === DIES_HERE) await neverSilent(cluster, Number(node))
    return new Scene(fault, cluster, { server, heir })
  }

  /** Null: its server was evicted before. */
  async play(): Promise<Outcome | null> {
    const seenAtMs = await this.#seenAtMs()
    if (seenAtMs === null) return null
    const stopped = await this.#strike()
    await hears(clientOf(this.#heir, 'ada'), 'second begun')
    if (stopped.length > 0) await this.#goOn(stopped)
    await writeFile(this.#cluster.path('go'), '')
    return this.#outcome(seenAtMs)
  }

  async heirIsEvicted(): Promise<null> {
    await this.#heir.logged('node was evicted; its turns continue elsewhere')
    return null
  }

  /** Which processes stand still. */
  async #strike(): Promise<readonly number[]> {
    const { whom } = this.#fault
    const stopped = whom?.(this.#server) ?? []
    signalAll(stopped, 'SIGSTOP')
    if (whom === null) await this.#server.kill()
    return stopped
  }

  /** What stood still goes on, and its server notices and is of use again. */
  async #goOn(stopped: readonly number[]): Promise<void> {
    const before = await nodeOf(this.#server)
    signalAll(stopped, 'SIGCONT')
    await this.#server.logged('node was evicted; its turns continue elsewhere')
    await this.#server.logged('node joined', ({ node }) => node !== before)
  }

  async #outcome(seenAtMs: number): Promise<Outcome> {
    await using watch = watchAll(clientOf(this.#heir, 'ada'), SESSION)
    const ends = [await turnEnd(watch, 1), await turnEnd(watch, 2)]
    const begins = await this.#heir.logged('turn begins')
    const updates = eventsOf(watch, 'TaskUpdateEvent')
    const ticks = await this.#cluster.lines(TICKS)
    return {
      turns: ends.map(({ turnStatus }) => turnStatus),
      interrupted: updates.filter(({ taskStatus }) => taskStatus === 'INTERRUPTED').length,
      ran: ticks.filter((line, index) => line !== ticks[index - 1]),
      takenAfterMs: Date.parse(begins.time) - seenAtMs,
    }
  }

  /** When its server last beat; null: it is no node any more. */
  async #seenAtMs(): Promise<number | null> {
    const rows = await this.#cluster.query<{ seen_at: Date }>(
      'SELECT seen_at FROM nodes WHERE id = $1 AND evicted_at IS NULL',
      [await nodeOf(this.#server)],
    )
    return rows[0]?.seen_at.getTime() ?? null
  }
}

async function hears(ada: ApiClient, text: string): Promise<void> {
  await using watch = watchAll(ada, SESSION)
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent' && event.text.includes(text))
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

/**
 * Says again and again that it runs, until there is a file `until`, and at once when another command of its session
 * does.
 */
function ticking(name: string, cluster: Cluster, until: string): string {
  const [ticks, end] = [cluster.path(TICKS), cluster.path(until)]
  // A pipe that says nothing: `sleep` would start a process each time, and keep the machine busy.
  const open = `exec 8<> <(:) 9>>lock; flock -n 9 || echo ${name} beside another >> ${ticks}`
  return `run: ${open}; echo ${name} begun; until [ -e ${end} ]; do echo ${name} >> ${ticks}; read -rt 0.05 -u 8; done`
}

function signalAll(pids: readonly number[], signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended.
    }
  }
}

const ONE_AFTER_THE_OTHER = { turns: ['DONE', 'DONE'], interrupted: 1, ran: ['first', 'second'] }

test.each(HANGS)(
  '$name: the next command runs elsewhere when the first has ended, and alone',
  async (fault) => {
    expect(await play(fault)).toMatchObject(ONE_AFTER_THE_OTHER)
  },
  PATIENCE_MS,
)

test(
  'a server dies where no process can check: the next command waits until the first must have ended',
  async () => {
    const outcome = await play(DIES_ELSEWHERE)
    expect(outcome).toMatchObject(ONE_AFTER_THE_OTHER)
    expect(outcome.takenAfterMs).toBeGreaterThanOrEqual(SILENT_MS)
  },
  PATIENCE_MS,
)

test(
  'a server dies where one can check that its command has ended: none waits for a silence, as by its row there is none',
  async () => {
    expect(await play(DIES_HERE)).toMatchObject(ONE_AFTER_THE_OTHER)
  },
  PATIENCE_MS,
)
