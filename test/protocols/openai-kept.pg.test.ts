/** `/v1`: messages that were kept behind a turn that waits for an approval are answered, whatever becomes of it. */
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approvalRules, decide } from '../harness/approvals.ts'
import { messagesIn, openBusy } from '../harness/queue.ts'
import { Story, tokenOf } from '../harness/story.ts'

const RULES = `[approvals]\nown_user_may_decide = true\n${approvalRules('effect = "require"\ncommand = "tee"')}`

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: RULES, settings: { max_replan_depth: 0 } } })
})
afterAll(() => story[Symbol.asyncDispose]())

function connect(defaultHeaders: Record<string, string> = {}): OpenAI {
  return new OpenAI({ baseURL: `${story.app.url}/v1`, apiKey: tokenOf('ben'), defaultHeaders, maxRetries: 0 })
}

/** A client that repeats all that was said, as most do. */
class Chat {
  readonly #client: OpenAI
  readonly #messages: OpenAI.ChatCompletionMessageParam[] = []
  /** Of the last answer. */
  usage: OpenAI.CompletionUsage | undefined

  constructor(client = connect()) {
    this.#client = client
  }

  async say(content: string): Promise<string> {
    this.#messages.push({ role: 'user', content })
    const answer = await this.again()
    this.#messages.push({ role: 'assistant', content: answer })
    return answer
  }

  /** Sends what was said last once more. */
  async again(): Promise<string> {
    const messages = this.#messages.slice(0, this.#messages.findLastIndex(({ role }) => role === 'user') + 1)
    const { choices, usage } = await this.#client.chat.completions.create({ model: 'factotum', messages })
    this.usage = usage
    return choices[0]?.message.content ?? ''
  }
}

const KEPT = /^Waiting for a decision\. Your message is kept/
const ASKED = /^Waiting for a decision\.\n/
const idIn = (text: string): string => /appr_\w+/.exec(text)?.[0] ?? ''
const timesIn = (text: string, part: string): number => text.split(part).length - 1

async function sessionOf(approvalId: string): Promise<string> {
  const read = `{ node(id: "${approvalId}") { ... on Approval { session { id } } } }`
  return ((await story.as('ben').run(read)) as { node: { session: { id: string } } }).node.session.id
}

test('when what is approved fails', async () => {
  const chat = new Chat()
  expect(await chat.say('fail:\nrun: echo yes | tee out.txt')).toMatch(ASKED)
  expect(await chat.say('And good evening')).toMatch(KEPT)
  const answer = await chat.say('/approve')
  expect(answer).toMatch(/The last one failed: [^]*\n\n[^]*> And good evening/)
  expect(timesIn(answer, 'The last one failed')).toBe(1)
  expect(await chat.again()).toBe(answer)
})

test('when it fails itself, what is approved is answered all the same', async () => {
  const chat = new Chat()
  await chat.say('run: echo yes | tee out.txt')
  expect(await chat.say('fail:\nrun: echo no')).toMatch(KEPT)
  expect(await chat.say('/approve')).toMatch(/ yes\n\n[^]*The last one failed: /)
})

test('when it is one of two, the second of which asks for an approval, too', async () => {
  const chat = new Chat()
  await chat.say('run: echo yes | tee out.txt')
  expect(await chat.say('And good evening')).toMatch(KEPT)
  expect(await chat.say('run: echo late | tee late.txt')).toMatch(KEPT)
  expect(await chat.say('/approve')).toMatch(
    / yes\n\n[^]*> And good evening\n\nWaiting for a decision\.\n[^]*late\.txt/,
  )
  const last = await chat.say('/approve')
  expect(last).toMatch(/ late$/)
  expect(last).not.toContain('good evening')
})

test('when what is approved takes it along, it is answered once', async () => {
  await openBusy(story.as('ben'), 'STEER', { id: '@ben:steer' })
  const chat = new Chat(connect({ 'x-factotum-session': 'steer' }))
  await chat.say('run: echo yes | tee out.txt')
  expect(await chat.say('And good evening')).toMatch(KEPT)
  expect(await chat.say('/approve')).toMatch(ASKED)
  const answer = await chat.say('/approve')
  expect([timesIn(answer, '> And good evening'), timesIn(answer, 'ended with exit code')]).toEqual([1, 1])
})

test.each(['denied', 'cancelled'])('when what it waits behind was %s elsewhere', async (how) => {
  const chat = new Chat()
  const id = idIn(await chat.say(`run: echo ${how} | tee out.txt`))
  expect(await chat.say('And good evening')).toMatch(KEPT)
  const sessionId = await sessionOf(id)
  if (how === 'denied') await decide(story.as('ben'), { id, approve: false })
  else await story.as('ben').run(`mutation { cancelTurn(input: { sessionId: "${sessionId}" }) { __typename } }`)
  await untilIdle(sessionId)
  const answer = await chat.say('/approve')
  expect(answer).toMatch(
    new RegExp(`^The approval "${id}" is ${how.toUpperCase()} already[^]*\n\n[^]*> And good evening`),
  )
  await chat.say('Thanks')
  expect(await messagesIn(story.as('ben'), sessionId)).toHaveLength(3)
  const alone = new Chat()
  await alone.say('Hello')
  await expect(alone.say(`/approve ${id}`)).rejects.toMatchObject({ status: 409 })
})

test('and the usage is that of all turns that the answer tells of', async () => {
  const chat = new Chat(connect({ 'x-factotum-session': 'usage' }))
  await chat.say('run: echo yes | tee out.txt')
  await chat.say('And good evening')
  await chat.say('/approve')
  const read =
    '{ session(id: "@ben:usage") { turns(last: 9) { edges { node { usage { inputTokens outputTokens } } } } } }'
  type Turns = { session: { turns: { edges: { node: { usage: { inputTokens: number; outputTokens: number } } }[] } } }
  const { edges } = ((await story.as('ben').run(read)) as Turns).session.turns
  const counts = edges.map(({ node: { usage } }) => usage.inputTokens + usage.outputTokens)
  expect(counts).toHaveLength(2)
  expect(chat.usage?.total_tokens).toBe(counts.reduce((sum, count) => sum + count, 0))
})

test('when its response is followed by the decision', async () => {
  const ask = async (input: string, previous: string | null = null) =>
    connect().responses.create({ model: 'factotum', input, previous_response_id: previous })
  const asked = await ask('run: echo yes | tee out.txt')
  const kept = await ask('And good evening', asked.id)
  expect(kept.output_text).toMatch(KEPT)
  const approved = await ask(`/approve ${idIn(asked.output_text)}`, kept.id)
  expect(approved.output_text).toMatch(/ yes\n\n[^]*> And good evening/)
})

async function untilIdle(sessionId: string): Promise<void> {
  const standing = `{ session(id: "${sessionId}") { status } }`
  await expect.poll(() => story.as('ben').run(standing)).toEqual({ session: { status: 'IDLE' } })
}

test.each([
  { how: 'approved', said: / ended with exit code 0:[^]* yes/ },
  { how: 'denied', said: /denied/i },
])('when what it waits behind was $how elsewhere, and something else is said', async ({ how, said }) => {
  const chat = new Chat()
  const first = `run: echo yes | tee ${how}.txt`
  const id = idIn(await chat.say(first))
  expect(await chat.say('And good evening')).toMatch(KEPT)
  const sessionId = await sessionOf(id)
  await decide(story.as('ben'), { id, approve: how === 'approved' })
  await untilIdle(sessionId)
  const answer = await chat.say('Thanks')
  expect(answer).toMatch(said)
  expect(answer).toMatch(/\n\n[^]*> And good evening[^]*\n\n[^]*> Thanks/)
  const last = await chat.say('And now?')
  expect(last).not.toContain('good evening')
  expect((await messagesIn(story.as('ben'), sessionId)).map(({ content }) => content)).toEqual([
    first,
    'And good evening',
    'Thanks',
    'And now?',
  ])
})

test('when the same is said once more, after what it waits behind was approved elsewhere', async () => {
  const chat = new Chat()
  const id = idIn(await chat.say('run: echo yes | tee same.txt'))
  expect(await chat.say('And good evening')).toMatch(KEPT)
  await decide(story.as('ben'), { id, approve: true })
  await untilIdle(await sessionOf(id))
  expect(timesIn(await chat.say('And good evening'), '> And good evening')).toBe(2)
})

test('when it comes to wait itself once what it waited behind was approved elsewhere', async () => {
  const chat = new Chat()
  const id = idIn(await chat.say('run: echo yes | tee out.txt'))
  expect(await chat.say('run: echo late | tee late.txt')).toMatch(KEPT)
  await decide(story.as('ben'), { id, approve: true })
  const read = `{ session(id: "${await sessionOf(id)}") { approvals(status: [PENDING]) { task { detail } } } }`
  const waits = { session: { approvals: [{ task: { detail: 'echo late | tee late.txt' } }] } }
  await expect.poll(() => story.as('ben').run(read)).toEqual(waits)
  const answer = await chat.say('Thanks')
  expect(answer).toMatch(/ yes\n\nWaiting for a decision\. Your message is kept[^]*late\.txt/)
  const approved = await chat.say('/approve')
  expect(approved).toMatch(/ late\n\n[^]*> Thanks/)
  expect(timesIn(approved, 'ended with exit code')).toBe(1)
})

test('when it was sent after a decision that was made elsewhere, and fails', async () => {
  const chat = new Chat()
  const id = idIn(await chat.say('run: echo yes | tee out.txt'))
  await decide(story.as('ben'), { id, approve: true })
  expect(await chat.say('fail:\nrun: echo no')).toMatch(/ yes\n\n[^]*The last one failed: /)
})

describe('of the response that is followed, with nothing repeated', () => {
  const ask = async (input: string, previous: string | null = null) => {
    const { id, output_text: text } = await connect().responses.create({
      model: 'factotum',
      input,
      previous_response_id: previous,
    })
    return { id, text }
  }

  test.each(['approved', 'denied'])('when what it asked for was %s elsewhere', async (how) => {
    const asked = await ask(`run: echo yes | tee followed-${how}.txt`)
    const kept = await ask('And good evening', asked.id)
    const both = await ask('And good night', kept.id)
    expect([kept.text, both.text]).toEqual([expect.stringMatching(KEPT), expect.stringMatching(KEPT)])
    const id = idIn(asked.text)
    await decide(story.as('ben'), { id, approve: how === 'approved' })
    await untilIdle(await sessionOf(id))
    const answer = await ask('Thanks', both.id)
    expect(answer.text).toMatch(/> And good evening[^]*> And good night[^]*> Thanks/)
    expect(answer.text).toMatch(how === 'approved' ? / yes\n\n/ : /denied/i)
    expect((await ask('And now?', answer.id)).text).not.toContain('good evening')
  })

  test('and what came of a decision is not said again', async () => {
    const asked = await ask('run: echo once | tee out.txt')
    const kept = await ask('And good evening', asked.id)
    const approved = await ask(`/approve ${idIn(asked.text)}`, kept.id)
    expect(approved.text).toMatch(/ once\n\n[^]*> And good evening/)
    expect((await ask('Thanks', approved.id)).text).not.toContain('good evening')
  })

  test('and the next that it asks for', async () => {
    const asked = await ask('run: echo first | tee first.txt')
    const kept = await ask('run: echo second | tee second.txt', asked.id)
    const approved = await ask(`/approve ${idIn(asked.text)}`, kept.id)
    expect(approved.text).toMatch(/ first\n\nWaiting for a decision\.\n/)
    const id = idIn(approved.text)
    await decide(story.as('ben'), { id, approve: true })
    await untilIdle(await sessionOf(id))
    const answer = await ask('Thanks', approved.id)
    expect(answer.text).toMatch(/ second\n\n[^]*> Thanks/)
    expect(answer.text).not.toContain(' first')
  })
})
