/** A plugin's runtime answers in conversations: `examples/plugins/subprocess-agent`, a program in the sandbox. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OpenSessionDocument, CancelTurnDocument, UpdateSessionDocument } from '../generated/graphql.ts'
import { untilFollowed } from '../harness/ask-operators.ts'
import { PATIENCE } from '../harness/patience.ts'
import { addExamplePlugin, read, select, until, update } from '../harness/plugins.ts'
import { answersIn, converse, eventsOf, send, Story, turnEnd, watchAll } from '../harness/story.ts'

const MODEL = 'subprocess-agent/agent:toy'

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { settings: { provider_sessions: 2 } } })
  addExamplePlugin(story.home, 'subprocess-agent')
  await until(story, 'subprocess-agent', 'DISABLED')
  await update(story, { name: 'subprocess-agent', enabled: true })
  await until(story, 'subprocess-agent', 'READY')
})
afterAll(() => story[Symbol.asyncDispose]())

async function open(id: string, on = story): Promise<void> {
  const { openSession } = await on.as('ada').run(OpenSessionDocument, { input: { id, mode: 'CHAT', model: MODEL } })
  expect(openSession.__typename).toBe('OpenSessionPayload')
}

const say = async (id: string, text: string, on = story) => (await converse(on.as('ada'), id, text)).answers

async function storedState(id: string): Promise<unknown> {
  const [row] = await select(story, `SELECT provider_state->>'responseId' AS id FROM sessions WHERE id = '${id}'`)
  return row?.['id']
}

/**
 * Says more until a conversation of the runtime was begun anew, as by another process than before: either may take a
 * turn. Each answer has heard all that was said.
 */
async function sayUntilBegun(id: string, said: string[], on: Story): Promise<void> {
  const before = await storedState(id)
  do {
    said.push(`more ${said.length}`)
    expect(await say(id, said.at(-1) ?? '', on)).toEqual([`toy heard ${said.length}: ${said.join(' | ')}`])
  } while ((await storedState(id)) === before)
}

test('it streams, thinks, calls tools, and keeps the conversation between turns', async () => {
  await open('cli:agent')
  await using watch = watchAll(story.as('ada'), 'cli:agent')
  await untilFollowed(story.app.url)
  await send(story.as('ada'), 'cli:agent', 'count 60')
  await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TextDeltaEvent')
  await turnEnd(watch)
  expect(answersIn(watch)).toEqual([Array.from({ length: 60 }, (_, n) => n + 1).join(' ')])
  const id = await storedState('cli:agent')
  expect(id).toMatch(/^runtime_/)
  expect(await say('cli:agent', 'run echo from the agent')).toEqual([expect.stringContaining('from the agent')])
  expect(await say('cli:agent', 'think of rain')).toEqual(['I have thought.'])
  // It was sent each message once: it is the same process still, and its id was stored once.
  expect(await say('cli:agent', 'Hello')).toEqual([
    'toy heard 4: count 60 | run echo from the agent | think of rain | Hello',
  ])
  expect(await storedState('cli:agent')).toBe(id)
  expect(eventsOf(watch, 'ThinkingEvent').map(({ content }) => content)).toContain('of rain')
})

test('one that dies in the middle of an answer fails that answer, and the next one has the whole conversation', async () => {
  await open('cli:dies')
  await say('cli:dies', 'one')
  const before = await storedState('cli:dies')
  const died = await converse(story.as('ada'), 'cli:dies', 'die')
  expect(died.status).toBe('FAILED')
  expect((await read(story, 'subprocess-agent')).runtimes).toMatchObject([
    { name: 'agent', roles: [], lastError: expect.stringContaining('failed'), openCount: expect.any(Number) },
  ])
  expect(await say('cli:dies', 'two')).toEqual([expect.stringMatching(/^toy heard 3: one \| die \| two$/)])
  expect(await storedState('cli:dies')).not.toBe(before)
})

test('a cancel ends an answer that would take half an hour, and the program with it', async () => {
  await open('cli:cancelled')
  await using watch = watchAll(story.as('ada'), 'cli:cancelled')
  await send(story.as('ada'), 'cli:cancelled', 'count 100000')
  await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TextDeltaEvent')
  await story.as('ada').run(CancelTurnDocument, { sessionId: 'cli:cancelled' })
  expect((await turnEnd(watch)).turnStatus).toBe('CANCELLED')
  // What was cancelled is not shown to models; a program that went on would have heard it.
  expect(await say('cli:cancelled', 'again')).toEqual(['toy heard 1: again'])
})

test('the one that was used longest ago goes; instructions and another process begin a new one', async () => {
  for (const id of ['cli:a', 'cli:b', 'cli:c']) {
    await open(id)
    await say(id, `I am ${id}`)
  }
  const [first, last] = [await storedState('cli:a'), await storedState('cli:c')]
  expect(await say('cli:a', 'still?')).toEqual(['toy heard 2: I am cli:a | still?'])
  expect(await storedState('cli:a')).not.toBe(first)
  expect(await say('cli:c', 'still?')).toEqual(['toy heard 2: I am cli:c | still?'])
  expect(await storedState('cli:c')).toBe(last)
  await story.as('ada').run(UpdateSessionDocument, { input: { id: 'cli:c', instructions: 'Be brief.' } })
  await say('cli:c', 'and now?')
  const instructed = await storedState('cli:c')
  expect(instructed).not.toBe(last)

  await using other = await Story.begin({ beside: story })
  // Until its plugin runs there, the next model of the role answers.
  await until(other, 'subprocess-agent', 'READY')
  await open('cli:ready', other)
  await expect.poll(() => say('cli:ready', 'ready?', other), PATIENCE).toEqual([expect.stringMatching(/toy heard/)])
  const said = ['I am cli:c', 'still?', 'and now?']
  await sayUntilBegun('cli:c', said, other)
  await sayUntilBegun('cli:c', said, story)
})

test('while the plugin is not there, the next model of the role answers, if there is one', async () => {
  await open('cli:gone')
  await update(story, { name: 'subprocess-agent', enabled: false })
  await until(story, 'subprocess-agent', 'DISABLED')
  expect(await say('cli:gone', 'Hello')).toEqual([expect.stringContaining('Rehearsal')])
  await update(story, { name: 'subprocess-agent', enabled: true })
  await until(story, 'subprocess-agent', 'READY')
  expect(await say('cli:gone', 'again')).toEqual(['toy heard 2: Hello | again'])
})
