import { expect, test } from 'vitest'
import { EventLoopLoad } from './event-loop-load.ts'

/** Computes for that long. */
function compute(ms: number): void {
  for (const endMs = performance.now() + ms; performance.now() < endMs;);
}

test('a loop that only computes is busy; one that waits is not', async () => {
  const load = new EventLoopLoad()
  compute(60)
  expect(load.isBusy).toBe(true)
  // However long the wait takes, the loop idles in it.
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(load.isBusy).toBe(false)
})
