/** `/v1`: messages that were kept behind a turn that waits for an approval are answered, whatever becomes of it. */
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvalRules, decide } from '../harness/approvals.ts'
import { openBusy } from '../harness/queue.ts'
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
    const { choices } = await this.#client.chat.completions.create({ model: 'factotum', messages })
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
  const standing = `{ session(id: "${sessionId}") { status } }`
  await expect.poll(() => story.as('ben').run(standing)).toEqual({ session: { status: 'IDLE' } })
  const answer = await chat.say('/approve')
  expect(answer).toMatch(
    new RegExp(`^The approval "${id}" is ${how.toUpperCase()} already[^]*\n\n[^]*> And good evening`),
  )
  const alone = new Chat()
  await alone.say('Hello')
  await expect(alone.say(`/approve ${id}`)).rejects.toMatchObject({ status: 409 })
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
