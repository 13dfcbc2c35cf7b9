/** Commands that wait for an answer while what leads to the server breaks: the turn goes on without them. */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { manualClock } from '../harness/manual-clock.ts'
import { PATIENCE } from '../harness/patience.ts'
import { Story } from '../harness/story.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import { Answering, factotum } from './run-command.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story[Symbol.asyncDispose]())

for (const [words, input] of [
  ['ask --session cli:asked -', 'run: echo answered'],
  ['chat cli:chatted', 'run: echo answered\n'],
] as const) {
  for (const read of ['query TerminalPending', 'query TerminalAsked']) {
    test(`the answer to "${read}" is lost: ${words} reads again`, async () => {
      await using proxy = await TcpProxy.start(story.app.url)
      const lost = proxy.loseAnswerTo(read)
      const ended = await factotum(story, words, { url: proxy.through(story.app.url), input })
      await lost
      expect(ended).toMatchObject({ exitCode: 0, printed: expect.stringContaining('answered'), said: '' })
    })
  }
}

test('ask gives up a server that stays away, and says where the answer will be', async () => {
  await using proxy = await TcpProxy.start(story.app.url)
  const clock = manualClock()
  const way = { url: proxy.through(story.app.url), clock }
  const asking = new Answering(story, 'ask --session cli:away run: sleep 60', way)
  await asking.see(/▸ 1 EXEC sleep 60/)
  proxy.cut()
  await vi.waitFor(() => expect(clock.timers).toBe(1), PATIENCE)
  clock.fire()
  await asking.see(/see it with: factotum tail cli:away --after 0\r?\nfactotum: The server at \S+ cannot be reached/)
  expect(await asking.ended).toBe(1)
})

/** Time that passes when the test says so. */
function manualTimeouts() {
  const begun: { readonly ms: number; readonly end: AbortController }[] = []
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const end = new AbortController()
    begun.push({ ms, end })
    return end.signal
  })
  onTestFinished(() => spy.mockRestore())
  return {
    pass: (passedMs: number): void => {
      for (const { ms, end } of begun) if (ms <= passedMs) end.abort()
    },
  }
}

test('ask waits for a server that leaves right after it has accepted the message', async () => {
  await using proxy = await TcpProxy.start(story.app.url)
  const timeouts = manualTimeouts()
  const lost = proxy.loseAnswerTo('query TerminalPending').then(() => proxy.cut())
  const way = { url: proxy.through(story.app.url), input: 'run: echo answered' }
  const asked = factotum(story, 'ask --session cli:accepted -', way)
  await lost
  timeouts.pass(10_000)
  proxy.restore()
  expect(await asked).toMatchObject({ exitCode: 0, printed: expect.stringContaining('answered'), said: '' })
})
