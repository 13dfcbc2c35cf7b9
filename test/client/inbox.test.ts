/** What a WebSocket pushes and a loop pulls: in order, to the end, and bounded. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ClientError } from '../../packages/client/src/client-error.ts'
import { Inbox } from '../../packages/client/src/inbox.ts'
import { retryDelayMs } from '../../packages/client/src/pause.ts'

describe('an inbox', () => {
  test('gives everything that came before the end, in order, however taking and coming take turns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 5 })), fc.boolean(), async (batches, fails) => {
        const inbox = new Inbox<number>(() => {})
        const taken: number[] = []
        const taking = (async () => {
          for await (const item of inbox.items()) taken.push(item)
        })()
        let sent = 0
        for (const size of batches) {
          for (let n = 0; n < size; n += 1) inbox.next((sent += 1))
          await Promise.resolve()
        }
        if (fails) inbox.error(new ClientError('UNREACHABLE', 'lost'))
        else inbox.complete()
        inbox.next(-1)
        const ended = await taking.then(
          () => 'complete',
          (error: unknown) => (error as ClientError).message,
        )
        expect({ ended, taken }).toEqual({
          ended: fails ? 'lost' : 'complete',
          taken: Array.from({ length: sent }, (_, n) => n + 1),
        })
      }),
    )
  })

  test('that nobody empties ends itself with a passing error, and what it has is still given', async () => {
    let full = 0
    const inbox = new Inbox<number>(() => (full += 1))
    for (let n = 1; n <= 5000; n += 1) inbox.next(n)
    expect(full).toBe(1)
    const taken: number[] = []
    const taking = (async () => {
      for await (const item of inbox.items()) taken.push(item)
    })()
    await expect(taking).rejects.toMatchObject({ code: 'UNREACHABLE', isPassing: true })
    expect(taken).toEqual(Array.from({ length: 1000 }, (_, n) => n + 1))
  })
})

test('pauses grow with failures, up to ten seconds, and no two clients keep in step', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), (failures) => {
      const fullMs = Math.min(10_000, 200 * 2 ** (failures - 1))
      const delays = Array.from({ length: 20 }, () => retryDelayMs(failures))
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(fullMs / 2)
      expect(Math.max(...delays)).toBeLessThanOrEqual(fullMs)
      expect(new Set(delays).size).toBeGreaterThan(1)
    }),
  )
})
