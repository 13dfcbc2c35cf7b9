/**
 * How long turns lie still when their process dies, from what the processes log: who began which turn, and who resumed
 * it. It counts from when there is a process that could: how long one takes to start says nothing about taking over.
 */
import type { LogLine } from '../harness/server-process.ts'

export type Cause = 'KILLED' | 'HANGS'

export class Takeovers {
  /** Turns that run, and in which process. */
  readonly #running = new Map<string, number>()
  /** Turns that lie still, and since when another process could go on with them. */
  readonly #still = new Map<string, { sinceMs: number; readonly cause: Cause }>()
  /** The processes that are nodes and neither dead nor hanging. */
  readonly #working = new Set<number>()
  readonly #delaysMs: Record<Cause, number[]> = { KILLED: [], HANGS: [] }

  /** Every log line of every server comes by here. */
  note(server: number, line: LogLine): void {
    if (line.msg === 'node joined') this.#joined(server, Date.parse(line.time))
    const turnId = line['turnId']
    if (typeof turnId !== 'string') return
    if (line.msg === 'turn begins') {
      const still = this.#still.get(turnId)
      if (still !== undefined) this.#delaysMs[still.cause].push(Date.parse(line.time) - still.sinceMs)
      this.#still.delete(turnId)
      this.#running.set(turnId, server)
    }
    if (line.msg === 'turn ends' && this.#running.get(turnId) === server) this.#running.delete(turnId)
  }

  /** This server does nothing any more, from now on. */
  died(server: number, cause: Cause): void {
    this.#working.delete(server)
    for (const [turnId, owner] of this.#running) {
      if (owner !== server) continue
      this.#running.delete(turnId)
      this.#still.set(turnId, { sinceMs: Date.now(), cause })
    }
  }

  /** The turns that lie still now. */
  get still(): readonly string[] {
    return [...this.#still.keys()]
  }

  /** These were paused before their process had logged it: they wait for a decision, say, and for no process. */
  paused(turnIds: readonly string[]): void {
    for (const turnId of turnIds) this.#still.delete(turnId)
  }

  #joined(server: number, atMs: number): void {
    if (this.#working.size === 0) for (const turn of this.#still.values()) turn.sinceMs = Math.max(turn.sinceMs, atMs)
    this.#working.add(server)
  }

  /** How many turns run there. */
  runningOn(server: number): number {
    return [...this.#running.values()].filter((owner) => owner === server).length
  }

  /** In milliseconds, shortest first. */
  delaysMs(cause: Cause): readonly number[] {
    return this.#delaysMs[cause].toSorted((a, b) => a - b)
  }
}
