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

test('a token that sends too much is one warning in the log, by name, and not a line for each refusal', async () => {
  const lines: Record<string, unknown>[] = []
  const log = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>)
  await using story = await Story.begin({ config: { settings: { requests_per_minute: 5 } }, log })
  const codes: unknown[] = []
  for (let n = 0; n < 20; n += 1)
    codes.push((await story.as('ben').request(ServerDocument, {})).errors[0]?.extensions?.['code'])
  expect(codes.filter((code) => code === 'RATE_LIMITED').length).toBeGreaterThan(10)
  const seen = lines.filter(({ level }) => Number(level) >= 30)
  expect(seen.filter((line) => JSON.stringify(line).includes('RATE_LIMITED'))).toEqual([])
  expect(seen.filter(({ msg }) => String(msg).startsWith('requests of a token are refused'))).toEqual([
    expect.objectContaining({ level: 40, tokenName: 'ben' }),
  ])
})
