/** A token's rate holds for all processes together, whichever of them its operations come to. */
import { expect, test } from 'vitest'
import { Story, type Person } from '../harness/story.ts'
import { ServerDocument } from '../generated/graphql.ts'

const PER_MINUTE = 30

test('what one process has let in is no longer to be had at another, a second later', async () => {
  await using here = await Story.begin({ config: { settings: { requests_per_minute: PER_MINUTE } } })
  await using there = await Story.begin({ beside: here })
  /** "ok", or the code. */
  const ask = async (story: Story, person: Person): Promise<unknown> => {
    const { errors } = await story.as(person).request(ServerDocument, {})
    return errors.length === 0 ? 'ok' : errors[0]?.extensions?.['code']
  }
  for (let n = 0; n < PER_MINUTE; n += 1) expect(await ask(here, 'ada')).toBe('ok')
  // Asking takes from the little that trickles in: what is refused costs nothing.
  const untilRefused: unknown[] = []
  await expect
    .poll(
      async () => {
        const answer = await ask(there, 'ada')
        untilRefused.push(answer)
        return answer
      },
      { interval: 500 },
    )
    .toBe('RATE_LIMITED')
  // Not because it was asked so often here: on its own it would let in a minute's worth.
  expect(untilRefused.length).toBeLessThan(PER_MINUTE / 2)
  expect(await ask(there, 'ben')).toBe('ok')
})
