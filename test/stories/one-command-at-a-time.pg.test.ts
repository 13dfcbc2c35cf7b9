/**
 * No two commands of a session run at the same time, whatever becomes of the server that ran the first: it hangs, its host with it, all
 * that it has started stands still and goes on later, or it has died where nobody can look. And those that can tell do not wait.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { Cluster, clientOf } from '../harness/cluster.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'

// Servers stand still for longer than others wait for them, on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

const SESSION = 'cli:alone'

/** Says every few milliseconds that it runs, and at once when another command of its session does. */
function ticking(name: string, cluster: Cluster, ticks: number): string {
  const lock = `exec 9>>lock; flock -n 9 || echo ${name} beside another >> ${cluster.path('ticks')}`
  return `run: ${lock}; echo begun; for n in $(seq ${ticks}); do echo ${name} >> ${cluster.path('ticks')}; sleep 0.02; done`
}

interface Stage {
  /** Runs a command that does not end. */
  readonly first: ServerProcess
  readonly second: ServerProcess
}

/** `elsewhere`: the servers are on machines of their own, as far as each can tell of the other. */
async function play(cluster: Cluster, { elsewhere = false } = {}): Promise<Stage> {
  const first = await cluster.start()
  const ada = clientOf(first, 'ada')
  await send(ada, SESSION, ticking('first', cluster, 100_000))
  await send(ada, SESSION, ticking('second', cluster, 150))
  await using watch = watchAll(ada, SESSION)
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  const second = await cluster.start()
  if (elsewhere) await cluster.query(`UPDATE nodes SET process = 'another machine'`)
  return { first, second }
}

/** The first command is interrupted, and the second runs, on the second server. `meanwhile`: as soon as it does. */
async function expectTakenOver({ second }: Stage, meanwhile: () => void = () => {}): Promise<void> {
  await using watch = watchAll(clientOf(second, 'ada'), SESSION)
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  meanwhile()
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
  const interrupted = eventsOf(watch, 'TaskUpdateEvent').filter(({ taskStatus }) => taskStatus === 'INTERRUPTED')
  expect(interrupted).toHaveLength(1)
}

/** The server that stood still has noticed, and is of use again. */
async function expectBack({ first }: Stage): Promise<void> {
  await first.logged('node was evicted; its turns continue elsewhere')
  const joined = await first.logged('node joined')
  await first.logged('node joined', ({ node }) => node !== joined['node'])
}

/** Who said in which order that it runs. */
async function whoRan(cluster: Cluster): Promise<string[]> {
  const ticks = await cluster.lines('ticks')
  return ticks.filter((line, index) => line !== ticks[index - 1])
}

/** The process and all that it has started, directly or not. */
function treeOf(pid: number): number[] {
  const children = readdirSync('/proc').flatMap((name) => {
    const parent = /^\d+$/.test(name) ? /\) \S (\d+) /.exec(readStat(name))?.[1] : undefined
    return parent === String(pid) ? [Number(name)] : []
  })
  return [pid, ...children.flatMap(treeOf)]
}

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
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

const hostOf = (server: ServerProcess): number[] => treeOf(server.pid).slice(0, 2)

const STOPS = [
  ['the server', ({ pid }: ServerProcess) => [pid]],
  ['the server and its command host', hostOf],
  ['the server and all that it has started', ({ pid }: ServerProcess) => treeOf(pid)],
] as const

test.each(STOPS)('%s stands still, and goes on while its session runs elsewhere', async (_, whom) => {
  await using cluster = await Cluster.begin()
  const stage = await play(cluster)
  const stopped = whom(stage.first)
  signalAll(stopped, 'SIGSTOP')
  await expectTakenOver(stage, () => signalAll(stopped, 'SIGCONT'))
  await expectBack(stage)
  expect(await whoRan(cluster)).toEqual(['first', 'second'])
})

test('a server on another machine stands still, and goes on while its session runs here', async () => {
  await using cluster = await Cluster.begin()
  const stage = await play(cluster, { elsewhere: true })
  stage.first.signal('SIGSTOP')
  await expectTakenOver(stage, () => stage.first.signal('SIGCONT'))
  await expectBack(stage)
  expect(await whoRan(cluster)).toEqual(['first', 'second'])
})

test('a server dies on another machine: who goes on waits until its commands must have ended', async () => {
  await using cluster = await Cluster.begin()
  const stage = await play(cluster, { elsewhere: true })
  const killedAtMs = Date.now()
  await stage.first.kill()
  await expectTakenOver(stage)
  const taken = await stage.second.logged('turn begins')
  expect(Date.parse(taken.time) - killedAtMs).toBeGreaterThan(3000)
  expect(Date.parse(taken.time) - killedAtMs).toBeLessThan(10_000)
  expect(await whoRan(cluster)).toEqual(['first', 'second'])
})

test('a server dies on the same machine: who goes on sees that its commands have ended', async () => {
  await using cluster = await Cluster.begin()
  const stage = await play(cluster)
  const killedAtMs = Date.now()
  await stage.first.kill()
  await expectTakenOver(stage)
  const taken = await stage.second.logged('turn begins')
  expect(Date.parse(taken.time) - killedAtMs).toBeLessThan(3000)
  expect(await whoRan(cluster)).toEqual(['first', 'second'])
})
