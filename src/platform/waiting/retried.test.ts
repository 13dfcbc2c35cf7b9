import fc from 'fast-check'
import { expect, test } from 'vitest'
import { retried } from './retried.ts'

const PAUSES = { firstMs: 100, maxMs: 400 }

/** A clock that sleeps for no time, and keeps for how long it was asked to. */
function sleepless(): { readonly asked: number[]; sleep(ms: number): Promise<void> } {
  const asked: number[] = []
  return {
    asked,
    sleep: (ms) => {
      asked.push(ms)
      return Promise.resolve()
    },
  }
}

test('whatever fails before: one attempt at a time until the first success, with a pause after each failure', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(8), fc.nat(8), async (failures, wantedFor) => {
      const clock = sleepless()
      const attempts: number[] = []
      const failed: number[] = []
      let underWay = 0
      const answer = await retried(
        async (attempt) => {
          expect((underWay += 1)).toBe(1)
          attempts.push(attempt)
          await Promise.resolve()
          underWay -= 1
          if (attempt < failures) throw new Error('away')
          return 'done'
        },
        {
          clock,
          pauses: PAUSES,
          isWanted: () => attempts.length < wantedFor,
          onFailure: (_error, attempt) => failed.push(attempt),
        },
      )
      const isDone = failures < wantedFor
      expect(answer).toBe(isDone ? 'done' : null)
      expect(attempts).toEqual(Array.from({ length: Math.min(failures + 1, wantedFor) }, (_, n) => n))
      expect(failed).toEqual(attempts.slice(0, isDone ? -1 : undefined))
      const ceilings = failed.map((attempt) => Math.min(PAUSES.maxMs, PAUSES.firstMs * 2 ** attempt))
      expect(clock.asked.every((ms, n) => ms >= (ceilings[n] ?? 0) / 2 && ms <= (ceilings[n] ?? 0))).toBe(true)
      expect(clock.asked).toHaveLength(failed.length)
    }),
  )
})

test('what is no failure of the world ends it', async () => {
  const bug = new Error('a bug')
  const options = {
    clock: sleepless(),
    pauses: PAUSES,
    isWanted: () => true,
    onFailure: (error: unknown) => {
      throw error
    },
  }
  await expect(retried(() => Promise.reject(bug), options)).rejects.toBe(bug)
})
