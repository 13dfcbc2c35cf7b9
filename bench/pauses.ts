/**
 * (p) What a person waits who pauses between messages: the same turns one after another, and with a pause before each,
 * in which the server has nothing to do. What is kept open, prepared, compiled and cached must outlast a pause. The
 * floor pauses as well: what the machine itself forgets meanwhile, it pays, too.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { median, percentile, show } from './figures.ts'
import type { Stage } from './stage.ts'
import type { Row } from './table.ts'
import { Product, startFloor, WARM_UP_TURNS } from './turns.ts'

/** `pauses`: each so many seconds, so many times. */
export interface PausesSize {
  readonly pauses: readonly { readonly seconds: number; readonly times: number }[]
  /** Turns without a pause, before and after those with pauses. */
  readonly turns: number
}

interface Measured {
  readonly what: string
  readonly ours: readonly number[]
  readonly floor: readonly number[]
}

export async function measurePauses(stage: Stage, { pauses, turns }: PausesSize): Promise<Row[]> {
  await using floor = await startFloor(stage)
  using product = new Product(stage)
  const floorTimes = async (sessionId: string, count: number): Promise<readonly number[]> =>
    (await floor.call('runTurns', { sessionIds: [sessionId], turns: count })).latenciesMs
  await product.answerTimes('cli:warm', WARM_UP_TURNS)
  await floorTimes('warm', WARM_UP_TURNS)
  const hot = {
    what: 'no pause',
    ours: await product.answerTimes('cli:hot', turns),
    floor: await floorTimes('hot', turns),
  }
  const found: Measured[] = [hot]
  for (const { seconds, times } of pauses) {
    const pause = (): Promise<void> => sleep(seconds * 1000)
    const ours = await product.answerTimes(`cli:pause-${seconds}`, times, { before: pause })
    const least: number[] = []
    for (let turn = 0; turn < times; turn += 1) {
      await pause()
      least.push(...(await floorTimes(`pause-${seconds}`, 1)))
    }
    found.push({ what: `each after ${seconds} s`, ours, floor: least })
  }
  return found.map(({ what, ours, floor: least }) => ({
    what: `(p) message to final answer, ms, ${what}`,
    value: show(median(ours)),
    floor: show(median(least)),
    ratio: show(median(ours) / median(least)),
    note:
      `p10 ${show(percentile(ours, 0.1))}, p90 ${show(percentile(ours, 0.9))}; ${ours.length} turns; ` +
      `to no pause ${show(median(ours) / median(hot.ours))}, the floor ${show(median(least) / median(hot.floor))}`,
  }))
}
