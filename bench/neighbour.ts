/**
 * (d) The whole way of an event from one process to the subscribers of another: commit, NOTIFY, a read of the log, one
 * execution, so many frames. At the pace at which one task may stream (20 events a second), on the real server.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Crowd, nowMs } from './crowd.ts'
import { median, percentile, show } from './figures.ts'
import { HelperProcess } from './helper-process.ts'
import { cpuMs } from './process-usage.ts'
import type { PublisherApi } from './publisher-main.ts'
import { TOKEN, type Stage } from './stage.ts'
import type { Row } from './table.ts'

const SESSION = 'bench:neighbour'
const PAUSE_MS = 50

export async function measureNeighbour(stage: Stage, { events }: { events: number }): Promise<Row[]> {
  await using publisher = new HelperProcess<PublisherApi>('publisher-main.ts')
  await publisher.call('start', { databaseUrl: stage.databaseUrl, sessionId: SESSION })
  const rows: Row[] = []
  for (const subscribers of [1, 100, 1000]) {
    const crowd = new Crowd({ port: Number(new URL(stage.url).port), token: TOKEN })
    await crowd.add(subscribers, () => SESSION, 0)
    const latenciesMs: number[] = []
    crowd.onData = (sentAtMs) => void (sentAtMs !== null && latenciesMs.push(nowMs() - sentAtMs))
    const publish = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        await publisher.call('publish', undefined)
        await sleep(PAUSE_MS)
      }
    }
    await publish(Math.ceil(events / 5))
    latenciesMs.length = 0
    const beforeMs = cpuMs(stage.pid)
    await publish(events)
    const cpuMicros = ((cpuMs(stage.pid) - beforeMs) * 1000) / (events * subscribers)
    await crowd.close()
    rows.push({
      what: `(d) commit elsewhere to subscriber, ms, 20 per second to ${show(subscribers)}`,
      value: show(median(latenciesMs)),
      floor: '',
      ratio: '',
      note: `p99 ${show(percentile(latenciesMs, 0.99))} ms; ${show(cpuMicros)} µs of CPU each`,
    })
  }
  return rows
}
