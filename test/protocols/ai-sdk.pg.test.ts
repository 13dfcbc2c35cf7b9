/** The transport for the Vercel AI SDK, as its two major versions read what it brings. */
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as current from 'ai'
import * as before from 'ai-6'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FactotumChatTransport, type SaidMessage } from '../../packages/client/src/ai-sdk/ai-sdk.ts'
import { connect } from '../../packages/client/src/connect.ts'
import { workspacePath } from '../../src/execution/workspace/workspace.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import { Story, tokenOf, watchAll, type Person } from '../harness/story.ts'

const RULES = `[approvals]\nown_user_may_decide = true\n${approvalRules('effect = "require"\ncommand = "tee"')}`

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: RULES } })
})
afterAll(() => story[Symbol.asyncDispose]())

type Part = {
  readonly type: string
  readonly text?: string
  readonly state?: string
  readonly output?: unknown
  readonly data?: unknown
  readonly approval?: { readonly id: string }
}
interface Message {
  readonly id: string
  readonly role: 'user' | 'assistant' | 'system'
  parts: Part[]
}

/** Both have the same shape here; that the transport is one of theirs is checked by the compiler, below. */
type Read = (options: {
  message?: Message
  stream: ReadableStream<never>
  onError?: (error: unknown) => void
}) => AsyncIterable<Message>
const readers = {
  'ai 7': current.readUIMessageStream as unknown as Read,
  'ai 6': before.readUIMessageStream as unknown as Read,
}

/** Whether a page with `sendAutomaticallyWhen` sends the message by itself. */
type IsToBeSent = (options: { messages: Message[] }) => boolean
const predicates = {
  'ai 7': current.lastAssistantMessageIsCompleteWithApprovalResponses as unknown as IsToBeSent,
  'ai 6': before.lastAssistantMessageIsCompleteWithApprovalResponses as unknown as IsToBeSent,
}

export const forCurrent = (
  transport: FactotumChatTransport<current.UIMessage>,
): current.ChatTransport<current.UIMessage> => transport
export const forBefore = (transport: FactotumChatTransport<before.UIMessage>): before.ChatTransport<before.UIMessage> =>
  transport
export const saidCurrent = (messages: SaidMessage[]): current.UIMessage[] => messages
export const saidBefore = (messages: SaidMessage[]): before.UIMessage[] => messages

function transportOf(person: Person, more: object = {}): FactotumChatTransport {
  const client = connect({ url: story.app.url, token: tokenOf(person) })
  return new FactotumChatTransport({ client, ...more })
}

let ids = 0
const say = (text: string): Message => ({ id: `message-${(ids += 1)}`, role: 'user', parts: [{ type: 'text', text }] })

async function contentsIn(person: Person, id: string): Promise<string[]> {
  const text = 'query ($id: ID!) { session(id: $id) { messages(last: 50) { edges { node { content } } } } }'
  const { session } = (await story.as(person).run(text, { id })) as {
    session: { messages: { edges: { node: { content: string } }[] } }
  }
  return session.messages.edges.map(({ node }) => node.content)
}

describe.each(Object.entries(readers))('%s', (name, readUIMessageStream) => {
  const isToBeSent = (message: Message): boolean => predicates[name as keyof typeof predicates]({ messages: [message] })
  const chat = (what: string): string => `${name.replace(' ', '-')}-${what}`

  async function read(stream: ReadableStream<unknown> | null, message?: Message): Promise<Message> {
    if (stream === null) throw new Error('nothing runs')
    let last: Message | undefined
    const onError = (error: unknown): void => {
      throw error
    }
    const from = message === undefined ? {} : { message }
    for await (const state of readUIMessageStream({ ...from, stream: stream as ReadableStream<never>, onError }))
      last = state
    if (last === undefined) throw new Error('nothing came')
    return last
  }

  const submit = (transport: FactotumChatTransport, chatId: string, messages: Message[]) =>
    transport.sendMessages({ trigger: 'submit-message', chatId, messages, abortSignal: undefined })

  test('text, thinking, calls and the plan', async () => {
    const answer = await read(await submit(transportOf('ada'), chat('parts'), [say('run: echo from the agent')]))
    const types = answer.parts.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['data-plan', 'dynamic-tool', 'text']))
    expect(answer.parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({
      toolName: 'run_command',
      state: 'output-available',
      input: { command: 'echo from the agent' },
      output: expect.stringContaining('from the agent'),
    })
    expect(answer.parts.filter(({ type }) => type === 'data-plan')).toMatchObject([
      {
        data: {
          tasks: [
            { type: 'EXEC', status: 'DONE' },
            { type: 'MSG', status: 'DONE' },
          ],
        },
      },
    ])
    const thought = await read(
      await submit(transportOf('ada', { mode: 'CHAT' }), chat('parts'), [say('think: Let me see.\nHello')]),
    )
    expect(thought.parts.find(({ type }) => type === 'reasoning')?.text).toContain('Let me see.')
    expect(thought.parts.findLast(({ type }) => type === 'text')?.text).toContain('> Hello')
    expect(await contentsIn('ada', `@ada:${chat('parts')}`)).toHaveLength(2)
  })

  test('a page that is loaded again begins with what was said, and resumes the turn that ran then', async () => {
    const chatId = chat('history')
    expect(await transportOf('ada').history(chatId)).toEqual([])
    const [first, second] = [say('Good day'), say('wait: 2500')] as const
    const answer = await read(await submit(transportOf('ada'), chatId, [first]))
    await submit(transportOf('ada'), chatId, [first, answer, second])
    const reloaded = transportOf('ada')
    const history = await reloaded.history(chatId)
    expect(history).toEqual([
      first,
      { id: answer.id, role: 'assistant', parts: [{ type: 'text', text: expect.stringContaining('> Good day') }] },
      second,
    ])
    // Over by now: its answer is not lost between the two.
    const status = `{ session(id: "@ada:${chatId}") { status } }`
    await expect.poll(() => story.as('ada').run(status)).toEqual({ session: { status: 'IDLE' } })
    const resumed = await read(await reloaded.reconnectToStream({ chatId }))
    expect(resumed.parts.at(-1)).toMatchObject({ type: 'text', text: expect.stringMatching(/./) })
    expect(await reloaded.reconnectToStream({ chatId })).toBeNull()
    const all = await transportOf('ada').history(chatId)
    expect(all.map(({ id }) => id)).toEqual([first.id, answer.id, second.id, resumed.id])
    expect(await transportOf('ada').history(chatId, { last: 1 })).toHaveLength(1)
  })

  test('a message that waited is read above its own answer, below the one it waited for', async () => {
    const chatId = chat('waited')
    const session = story.as('ada').session(`@ada:${chatId}`)
    await session.send('wait: 1500')
    await session.send('wait: 3000')
    const roles = async (): Promise<string[]> => (await transportOf('ada').history(chatId)).map(({ role }) => role)
    // While the second one runs, and after it.
    await expect.poll(roles).toEqual(['user', 'assistant', 'user'])
    await expect.poll(roles).toHaveLength(4)
    const texts = (await transportOf('ada').history(chatId)).map(({ parts }) => parts[0]?.text)
    expect([texts[0], texts[2]]).toEqual(['wait: 1500', 'wait: 3000'])
    expect(await roles()).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  test('what a turn says that begins and ends while the history is read is not lost', async () => {
    const chatId = chat('meanwhile-said')
    const session = story.as('ada').session(`@ada:${chatId}`)
    await session.ask('Good day')
    let requests = 0
    /** The third request is for what was said, behind those for the name space and for the view. */
    const token = async (): Promise<string> => {
      requests += 1
      if (requests === 3) await session.ask('Good evening')
      return tokenOf('ada')
    }
    const transport = new FactotumChatTransport({ client: connect({ url: story.app.url, token }) })
    const history = await transport.history(chatId)
    expect(history.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    const resumed = await read(await transport.reconnectToStream({ chatId }))
    expect(resumed.parts.findLast(({ type }) => type === 'text')?.text).toContain('> Good evening')
  })

  const callsOf = ({ parts }: Message): Part[] => parts.filter(({ type }) => type === 'dynamic-tool')

  test('an approval is asked for, given, and the same message goes on', async () => {
    const transport = transportOf('ben')
    const question = say('run: echo yes | tee out.txt')
    const asked = await read(await submit(transport, chat('approvals'), [question]))
    const call = asked.parts.find(({ type }) => type === 'dynamic-tool')
    expect(call).toMatchObject({ state: 'approval-requested', approval: { id: expect.stringMatching(/^appr_/) } })
    const parts = asked.parts.map((part) =>
      part === call
        ? { ...part, state: 'approval-responded', approval: { id: call.approval?.id ?? '', approved: true } }
        : part,
    )
    const decided: Message = { ...asked, parts }
    const cleo = submit(transportOf('cleo', { session: () => `@ben:${chat('approvals')}` }), 'x', [question, decided])
    const cleos = await cleo.then(
      (stream) => new Response(stream as never).text().catch(() => ''),
      () => 'refused',
    )
    expect(cleos).not.toContain('yes')
    const answer = await read(await submit(transport, chat('approvals'), [question, decided]), structuredClone(decided))
    expect(answer.id).toBe(asked.id)
    const done = answer.parts.find(({ type }) => type === 'dynamic-tool')
    expect(done).toMatchObject({ state: 'output-available', output: expect.stringContaining('yes') })
    expect(answer.parts.findLast(({ type }) => type === 'text')?.text).toContain('yes')
    expect(await contentsIn('ben', `@ben:${chat('approvals')}`)).toHaveLength(1)
  })

  test.each([
    { said: 'allowed', approved: true, result: { state: 'output-available', output: 'Allowed.' } },
    { said: 'denied', approved: false, result: { state: 'output-denied' } },
  ])('what a delegated task waits for is asked for and $said, and the message goes on', async (decision) => {
    const { said, approved, result } = decision
    const transport = transportOf('ada')
    const task = { task: 'run: echo below | tee out.txt', expect: 'An answer.' }
    const question = say(`tool: delegation__delegate ${JSON.stringify(task)}`)
    const asked = await read(await submit(transport, chat(`delegated-${said}`), [question]))
    const calls = callsOf(asked)
    expect(calls).toMatchObject([
      { toolName: 'delegation__delegate', state: 'output-available' },
      { toolName: 'run_command', state: 'approval-requested', input: { command: 'echo below | tee out.txt' } },
    ])
    const approval = { id: calls[1]?.approval?.id ?? '', approved }
    const parts = asked.parts.map((part) =>
      part.state === 'approval-requested' ? { ...part, state: 'approval-responded', approval } : part,
    )
    const decided: Message = { ...asked, parts }
    expect(isToBeSent(decided)).toBe(true)
    const stream = await submit(transport, chat(`delegated-${said}`), [question, decided])
    const answer = await read(stream, structuredClone(decided))
    expect(answer.id).toBe(asked.id)
    const output = expect.stringContaining(approved ? 'below' : '') as string
    expect(callsOf(answer)).toMatchObject([{ state: 'output-available', output }, result])
    expect(callsOf(answer)[0]).not.toMatchObject({ output: 'It waits for a decision.' })
    expect(answer.parts.at(-1)).toMatchObject({ type: 'text', text: expect.stringContaining('delegation__delegate') })
  })

  test.each([
    { stands: 'allowed', approved: false, result: { state: 'output-available', output: 'Allowed.' } },
    { stands: 'denied', approved: true, result: { state: 'output-denied' } },
  ])('what a delegated task waits for is shown as it was $stands elsewhere', async ({ stands, approved, result }) => {
    const chatId = chat(`elsewhere-${stands}`)
    const task = { task: 'run: echo below | tee out.txt', expect: 'An answer.' }
    const question = say(`tool: delegation__delegate ${JSON.stringify(task)}`)
    const asked = await read(await submit(transportOf('ada'), chatId, [question]))
    const approval = { id: callsOf(asked)[1]?.approval?.id ?? '', approved }
    await decide(story.as('ada'), { id: approval.id, approve: !approved })
    const parts = asked.parts.map((part) =>
      part.state === 'approval-requested' ? { ...part, state: 'approval-responded', approval } : part,
    )
    const decided: Message = { ...asked, parts }
    const stream = await submit(transportOf('ada'), chatId, [question, decided])
    expect(callsOf(await read(stream, structuredClone(decided)))[1]).toMatchObject(result)
  })

  test.each(['denied here', 'decided elsewhere first', 'decided elsewhere in a turn that has ended'])(
    'an approval that is %s does not have the page ask again and again',
    async (how) => {
      const transport = transportOf('ben')
      const chatId = chat(how.replaceAll(/\W+/g, '-'))
      const question = say('run: echo no | tee out.txt')
      const asked = await read(await submit(transport, chatId, [question]))
      const call = asked.parts.find(({ type }) => type === 'dynamic-tool')
      const id = call?.approval?.id ?? ''
      const isHere = how === 'denied here'
      await using watch = watchAll(story.as('ben'), `@ben:${chatId}`)
      if (!isHere) await decide(story.as('ben'), { id, approve: false, note: 'not today' })
      if (how.endsWith('ended'))
        await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnCompletedEvent')
      const parts = asked.parts.map((part) =>
        part === call
          ? { ...part, state: 'approval-responded', approval: { id, approved: !isHere, reason: 'not today' } }
          : part,
      )
      const decided: Message = { ...asked, parts }
      expect(isToBeSent(decided)).toBe(true)
      const answer = await read(await submit(transport, chatId, [question, decided]), structuredClone(decided))
      expect(isToBeSent(answer)).toBe(false)
      expect(answer.parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({
        state: 'output-error',
        errorText: expect.stringMatching(isHere ? /not today/ : /\w/),
      })
    },
  )

  /** With the page's decision about the one call that waits. */
  const allowing = (asked: Message): Message => {
    const allow = (part: Part): Part =>
      part.state === 'approval-requested'
        ? { ...part, state: 'approval-responded', approval: { id: part.approval?.id ?? '', approved: true } as never }
        : part
    return { ...asked, parts: asked.parts.map(allow) }
  }
  const callOf = ({ parts }: Message): Part | undefined => parts.find(({ type }) => type === 'dynamic-tool')

  test('an approval that was given elsewhere is answered with what came of it, up to the next one', async () => {
    const transport = transportOf('ben', { mode: 'CHAT' })
    const question = say('run: echo one | tee out.txt\n\nrun: echo two | tee out.txt')
    const asked = await read(await submit(transport, chat('meanwhile-asked'), [question]))
    await using watch = watchAll(story.as('ben'), `@ben:${chat('meanwhile-asked')}`)
    await decide(story.as('ben'), { id: callOf(asked)?.approval?.id ?? '', approve: true })
    await untilAsked(watch, 2)
    const decided = allowing(asked)
    const stream = await submit(transport, chat('meanwhile-asked'), [question, decided])
    const answer = await read(stream, structuredClone(decided))
    expect(answer.parts.filter(({ type }) => type === 'dynamic-tool')).toMatchObject([
      { state: 'output-available', output: expect.stringContaining('one') },
      { state: 'approval-requested' },
    ])
  })

  test('a decision about a turn that has ended is answered with that turn, whatever runs by now', async () => {
    const transport = transportOf('ben')
    const id = `@ben:${chat('ended')}`
    const question = say('run: echo yes | tee out.txt')
    const asked = await read(await submit(transport, chat('ended'), [question]))
    await using watch = watchAll(story.as('ben'), id)
    await decide(story.as('ben'), { id: callOf(asked)?.approval?.id ?? '', approve: true })
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnCompletedEvent')
    await story.as('ben').session(id).send('run: echo other; until [ -e gate ]; do sleep 0.05; done')
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent' && event.text === 'other\n')
    const decided = allowing(asked)
    const answer = await read(await submit(transport, chat('ended'), [question, decided]), structuredClone(decided))
    await writeFile(join(workspacePath(story.home, id), 'gate'), '')
    expect(answer.parts.filter(({ type }) => type === 'dynamic-tool')).toMatchObject([
      { state: 'output-available', output: expect.stringContaining('yes') },
    ])
    expect(answer.parts.findLast(({ type }) => type === 'text')?.text).toContain('yes')
  })

  test('a message behind an approval asks for it again, and is answered after what was allowed', async () => {
    const transport = transportOf('ben')
    const question = say('run: echo yes | tee out.txt')
    const asked = await read(await submit(transport, chat('behind'), [question]))
    const more = say('And good evening')
    const again = await read(await submit(transport, chat('behind'), [question, asked, more]))
    expect(callOf(again)).toMatchObject({ state: 'approval-requested', toolName: 'run_command' })
    // The SDK takes a decision for that of the first question with its id.
    expect(callOf(again)?.approval?.id).not.toBe(callOf(asked)?.approval?.id)
    const decided = allowing(again)
    expect(isToBeSent(decided)).toBe(true)
    const stream = await submit(transport, chat('behind'), [question, asked, more, decided])
    const answer = await read(stream, structuredClone(decided))
    expect(isToBeSent(answer)).toBe(false)
    expect(answer.id).toBe(again.id)
    expect(callOf(answer)).toMatchObject({ state: 'output-available', output: expect.stringContaining('yes') })
    const texts = answer.parts.filter(({ type }) => type === 'text').map(({ text }) => text)
    expect(texts).toEqual([expect.stringContaining('yes'), expect.stringContaining('And good evening')])
    expect(await contentsIn('ben', `@ben:${chat('behind')}`)).toHaveLength(2)
  })

  test('an approval is given in the answer that asked for it, also when a message has come behind it', async () => {
    const transport = transportOf('ben')
    const question = say('run: echo yes | tee out.txt')
    const asked = await read(await submit(transport, chat('earlier'), [question]))
    const more = say('And good evening')
    const again = await read(await submit(transport, chat('earlier'), [question, asked, more]))
    const decided = allowing(asked)
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: chat('earlier'),
      messageId: asked.id,
      messages: [question, decided, more, again],
      abortSignal: undefined,
    })
    const answer = await read(stream, structuredClone(decided))
    expect(callOf(answer)).toMatchObject({ state: 'output-available', output: expect.stringContaining('yes') })
    const late = allowing(again)
    const rest = await read(await submit(transport, chat('earlier'), [more, late]), structuredClone(late))
    expect(rest.parts.findLast(({ type }) => type === 'text')?.text).toContain('And good evening')
    expect(isToBeSent(rest)).toBe(false)
  })

  test('a message that waits is asked for the approval that its turn comes to wait behind', async () => {
    const transport = transportOf('ben', { mode: 'CHAT' })
    const gated = say('run: until [ -e gate ]; do sleep 0.05; done\n\nrun: echo two | tee out.txt')
    const first = await submit(transport, chat('meanwhile'), [gated])
    const second = await submit(transport, chat('meanwhile'), [say('And good evening')])
    const answers = Promise.all([read(first), read(second)])
    const workspace = workspacePath(story.home, `@ben:${chat('meanwhile')}`)
    await expect.poll(() => stat(workspace).catch(() => null)).not.toBeNull()
    await writeFile(join(workspace, 'gate'), '')
    const [asked, again] = await answers
    expect(asked.parts.at(-1)).toMatchObject({ state: 'approval-requested' })
    expect(callOf(again)).toMatchObject({ state: 'approval-requested' })
  })

  test('a page that comes while a second approval waits is told all that came before it', async () => {
    const transport = transportOf('ada', { mode: 'CHAT' })
    const id = `@ada:${chat('twice')}`
    const question = say('run: echo one | tee out.txt\n\nrun: echo two | tee out.txt')
    const first = await read(await submit(transport, chat('twice'), [question]))
    expect(callsOf(first)).toMatchObject([{ state: 'approval-requested' }])
    await using watch = watchAll(story.as('ada'), id)
    await decide(story.as('ada'), { id: callsOf(first)[0]?.approval?.id ?? '', approve: true })
    const [, second] = await untilAsked(watch, 2)
    const page = await read(await submit(transport, chat('twice'), [question]))
    expect(callsOf(page)).toMatchObject([
      { state: 'output-available', output: expect.stringContaining('one') },
      { state: 'approval-requested', approval: { id: second?.id } },
    ])
    expect(await contentsIn('ada', id)).toHaveLength(1)
  })

  test('a page that comes back is told the turn that runs, and nothing is sent twice', async () => {
    const transport = transportOf('ben')
    const question = say('run: echo one; until [ -e gate ]; do sleep 0.05; done; echo two')
    const left = await submit(transport, chat('back'), [question])
    const reader = left.getReader()
    for (let next = await reader.read(); ; next = await reader.read())
      if (next.done || next.value.type === 'tool-output-available') break
    await reader.cancel()
    const again = await transport.reconnectToStream({ chatId: chat('back') })
    await writeFile(join(workspacePath(story.home, `@ben:${chat('back')}`), 'gate'), '')
    const answer = await read(again)
    expect(answer.parts.find(({ type }) => type === 'dynamic-tool')?.output).toBe('one\ntwo\n')
    expect(await transport.reconnectToStream({ chatId: chat('back') })).toBeNull()
    await read(await submit(transport, chat('back'), [question]))
    expect(await contentsIn('ben', `@ben:${chat('back')}`)).toHaveLength(1)
  })

  test('a message with a part that is no text is refused, and nothing of it is sent', async () => {
    const question = say('What is on it?')
    const file = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' }
    const id = `@ben:${chat('picture')}`
    await expect(
      submit(transportOf('ben'), chat('picture'), [{ ...question, parts: [...question.parts, file] }]),
    ).rejects.toThrow(
      `file: only text is taken here. Put files into the session with client.session("${id}").upload(name, body).`,
    )
    await read(await submit(transportOf('ben'), chat('picture'), [say('Hello')]))
    expect(await contentsIn('ben', id)).toEqual(['Hello'])
  })

  test('a message that is edited is sent as another one, once', async () => {
    const transport = transportOf('ben')
    const question = say('Hello')
    await read(await submit(transport, chat('edited'), [question]))
    const edited: Message = { ...question, parts: [{ type: 'text', text: 'Good evening' }] }
    for (let again = 0; again < 2; again += 1) {
      const stream = await transport.sendMessages({
        trigger: 'submit-message',
        chatId: chat('edited'),
        messageId: question.id,
        messages: [edited],
        abortSignal: undefined,
      })
      expect((await read(stream)).parts.findLast(({ type }) => type === 'text')?.text).toContain('Good evening')
    }
    expect(await contentsIn('ben', `@ben:${chat('edited')}`)).toEqual(['Hello', 'Good evening'])
  })

  test('stop ends the turn; what is refused is an error', async () => {
    const stop = new AbortController()
    const stream = await transportOf('ben').sendMessages({
      trigger: 'submit-message',
      chatId: chat('stop'),
      messages: [say('run: echo begun; sleep 60')],
      abortSignal: stop.signal,
    })
    const reader = stream.getReader()
    for (let next = await reader.read(); ; next = await reader.read())
      if (next.done || next.value.type === 'tool-output-available') break
    stop.abort()
    const read = `{ session(id: "@ben:${chat('stop')}") { turns(last: 1) { edges { node { status } } } } }`
    await expect.poll(async () => JSON.stringify((await story.as('ben').request(read)).data)).toContain('CANCELLED')
    await expect(submit(transportOf('ben'), '@ada:hers', [say('let me in')])).rejects.toThrow(/\.$/)
    await expect(submit(transportOf('ben'), chat('empty'), [say('')])).rejects.toThrow('content')
  })

  const turnsIn = (what: string) => async (): Promise<string[]> => {
    const text = `{ session(id: "@ben:${chat(what)}") { turns(last: 9) { edges { node { status } } } } }`
    type Turns = { session: { turns: { edges: { node: { status: string } }[] } } | null }
    const { session } = (await story.as('ben').run(text, {})) as Turns
    return session?.turns.edges.map(({ node }) => node.status) ?? []
  }
  const submitUntil = (signal: AbortSignal, what: string, text: string) =>
    transportOf('ben').sendMessages({
      trigger: 'submit-message',
      chatId: chat(what),
      messages: [say(text)],
      abortSignal: signal,
    })

  test('stop before the answer: nothing is sent, or what is on its way is stopped', async () => {
    await expect(submitUntil(AbortSignal.abort(), 'stop-first', 'run: sleep 60')).rejects.toThrow('abort')
    expect(await turnsIn('stop-first')()).toEqual([])
    const early = new AbortController()
    const asking = submitUntil(early.signal, 'stop-asking', 'run: sleep 60')
    early.abort() // before the caller's own name space is known
    await expect(asking).rejects.toThrow('abort')
    const stop = new AbortController()
    await using proxy = await TcpProxy.start(story.app.url)
    const client = connect({ url: proxy.through(story.app.url), token: tokenOf('ben') })
    const arrived = proxy.loseAnswerTo('sendMessage')
    void arrived.then(() => stop.abort())
    const sent = new FactotumChatTransport({ client }).sendMessages({
      trigger: 'submit-message',
      chatId: chat('stop-early'),
      messages: [say('run: sleep 60')],
      abortSignal: stop.signal,
    })
    await expect(sent).rejects.toThrow('abort')
    await expect.poll(turnsIn('stop-early')).toEqual(['CANCELLED'])
    expect(await turnsIn('stop-asking')()).toEqual([])
    client.close()
  })

  test.each(['ownNamespace', 'query TurnOfMessage'])('a lost answer to %s fails no message', async (query) => {
    await using proxy = await TcpProxy.start(story.app.url)
    const client = connect({ url: proxy.through(story.app.url), token: tokenOf('ben') })
    const lost = proxy.loseAnswerTo(query)
    const chatId = chat(`lost-${query.length}`)
    const answer = await read(await submit(new FactotumChatTransport({ client }), chatId, [say('Hello')]))
    await lost
    expect(answer.parts.findLast(({ type }) => type === 'text')?.text).toContain('> Hello')
    expect(await contentsIn('ben', `@ben:${chatId}`)).toEqual(['Hello'])
    client.close()
  })

  test('stop takes a message back that waits in the queue', async () => {
    const [first, second] = [new AbortController(), new AbortController()]
    await submitUntil(first.signal, 'stop-queued', 'run: echo begun; sleep 60')
    await expect.poll(turnsIn('stop-queued')).toEqual(['RUNNING'])
    await submitUntil(second.signal, 'stop-queued', 'Hello')
    second.abort()
    await expect.poll(turnsIn('stop-queued')).toEqual(['RUNNING', 'CANCELLED'])
    first.abort()
    await expect.poll(turnsIn('stop-queued')).toEqual(['CANCELLED', 'CANCELLED'])
  })

  test('stop after a page has come back ends the turn; leaving before there is a stream does not', async () => {
    const page = new AbortController()
    const stream = await submitUntil(page.signal, 'stop-resumed', 'run: echo begun; sleep 60')
    await stream.cancel()
    const transport = transportOf('ben')
    const chatId = chat('stop-resumed')
    expect(await transport.reconnectToStream({ chatId, abortSignal: AbortSignal.abort() })).toBeNull()
    await expect.poll(turnsIn('stop-resumed')).toEqual(['RUNNING'])
    const back = new AbortController()
    expect(await transport.reconnectToStream({ chatId, abortSignal: back.signal })).not.toBeNull()
    back.abort()
    await expect.poll(turnsIn('stop-resumed')).toEqual(['CANCELLED'])
  })
})
