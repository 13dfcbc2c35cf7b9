import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Coalesced } from './coalesced.ts'

test('whatever the order of calls and ends: one run at a time, and a call is served by a run that began after it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
      async (scheduler, outcomes) => {
        const runs: { readonly began: number; ended: boolean }[] = []
        let time = 0
        const coalesced = new Coalesced(async () => {
          expect(runs.every(({ ended }) => ended)).toBe(true)
          const run = { began: (time += 1), ended: false }
          runs.push(run)
          await scheduler.schedule(Promise.resolve(), 'work')
          run.ended = true
          if (outcomes[runs.length % outcomes.length] === true) throw new Error('failed')
        })
        const calls = outcomes.map(async (_, n) => {
          await scheduler.schedule(Promise.resolve(), `call ${n}`)
          const called = (time += 1)
          await coalesced.run().catch(() => undefined)
          expect(runs.some(({ began, ended }) => ended && began > called)).toBe(true)
        })
        await scheduler.waitFor(Promise.all(calls))
        await coalesced.settled()
        expect(coalesced.isBusy).toBe(false)
        expect(runs.length).toBeLessThanOrEqual(outcomes.length)
      },
    ),
  )
})

test('many calls during a run lead to one more', async () => {
  const gates: (() => void)[] = []
  const coalesced = new Coalesced(() => new Promise((resolve) => gates.push(resolve)))
  const calls = [1, 2, 3, 4].map(() => coalesced.run())
  gates[0]?.()
  await calls[0]
  await expect.poll(() => gates).toHaveLength(2)
  gates[1]?.()
  await Promise.all(calls)
  await coalesced.settled()
  expect(gates).toHaveLength(2)
})
