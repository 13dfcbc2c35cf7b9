/** A conversation is asked for: what was said, by whom, page by page, with what a turn did for it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { converse, send, Story, turnEnd, watchAll } from '../harness/story.ts'
import {
  AppendMessageDocument,
  SessionTitlesDocument,
  ChatPageDocument,
  ConversationNodeDocument,
  OpenSessionDocument,
  SessionEventsDocument,
  type ChatPageQueryVariables,
} from '../generated/graphql.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story[Symbol.asyncDispose]())

async function pageOf(id: string, page: Omit<ChatPageQueryVariables, 'id'> = { last: 20 }) {
  const { session } = await story.as('ada').run(ChatPageDocument, { id, ...page })
  if (session == null) throw new Error('the session is gone')
  return { ...session, entries: session.conversation.edges.map(({ node }) => node), ...session.conversation }
}

describe('a conversation', () => {
  test('holds messages, texts of the agent and notices, in order, with their turns', async () => {
    const ada = story.as('ada')
    const first = await converse(ada, 'cli:talk', 'run: echo one')
    const second = await converse(ada, 'cli:talk', 'fail:\nrun: echo two')
    const { entries, lastMessagePreview } = await pageOf('cli:talk')
    expect(entries.map(({ __typename }) => __typename)).toEqual([
      'PersonMessage',
      'AgentText',
      'PersonMessage',
      'Notice',
      'AgentText',
    ])
    const [said, answered, , notice, last] = entries
    expect(said).toMatchObject({
      content: 'run: echo one',
      author: { role: 'USER', name: 'ada', trusted: true },
      message: { messageStatus: 'DONE' },
      turn: { id: first.id, turnStatus: 'DONE', answer: { id: answered?.id, content: first.answers[0] } },
    })
    expect(said?.turn?.plans[0]?.tasks[0]).toMatchObject({ type: 'EXEC', output: 'one\n', review: { verdict: 'OK' } })
    expect(answered).toMatchObject({
      content: first.answers[0],
      final: true,
      author: { role: 'ASSISTANT', name: null },
    })
    expect(notice).toMatchObject({ content: second.answers[0], author: { role: 'SYSTEM' }, turn: { id: second.id } })
    expect(last).toMatchObject({ content: second.answers[1], final: true })
    expect(last?.turn?.answer?.id).toBe(last?.id)
    const seqs = entries.map(({ seq }) => seq)
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
    expect(said?.turn).toMatchObject({ firstSeq: said?.seq })
    expect(said?.turn?.lastSeq).toBe((entries[2]?.seq ?? 0) - 1)
    expect(second.answers[1]?.startsWith((lastMessagePreview ?? '-').slice(0, 20).replace('…', ''))).toBe(true)
  })

  test('is read from both ends, page by page, and each entry by its id', async () => {
    const ada = story.as('ada')
    await ada.run(OpenSessionDocument, { input: { id: 'cli:pages' } })
    for (let n = 0; n < 7; n++) {
      await ada.run(AppendMessageDocument, { input: { sessionId: 'cli:pages', content: `said ${n}` } })
    }
    const said = (entries: readonly { readonly content: string }[]): string[] => entries.map(({ content }) => content)
    const newest = await pageOf('cli:pages', { last: 3 })
    expect(said(newest.entries)).toEqual(['said 4', 'said 5', 'said 6'])
    expect(newest.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: false })
    const before = await pageOf('cli:pages', { last: 3, before: newest.pageInfo.startCursor })
    expect(said(before.entries)).toEqual(['said 1', 'said 2', 'said 3'])
    const oldest = await pageOf('cli:pages', { first: 2 })
    expect(said(oldest.entries)).toEqual(['said 0', 'said 1'])
    const after = await pageOf('cli:pages', { first: 20, after: oldest.pageInfo.endCursor })
    expect(said(after.entries)).toEqual(['said 2', 'said 3', 'said 4', 'said 5', 'said 6'])
    const [entry] = newest.entries
    const { node } = await ada.run(ConversationNodeDocument, { id: entry?.id ?? '' })
    expect(node).toEqual({ __typename: 'PersonMessage', id: entry?.id, content: 'said 4' })
    const foreign = await story.as('cleo').run(ConversationNodeDocument, { id: entry?.id ?? '' })
    expect(foreign.node).toBeNull()
  })

  test('shows who was not trusted, and what a client brought for the agent', async () => {
    const bridge = story.as('bridge')
    await bridge.run(OpenSessionDocument, { input: { id: 'bridge:talk' } })
    const bring = (input: object): Promise<unknown> =>
      bridge.run(AppendMessageDocument, { input: { sessionId: 'bridge:talk', content: 'Hi', ...input } })
    await bring({ user: 'a-stranger' })
    await bring({ role: 'ASSISTANT' })
    const { entries } = await pageOf('bridge:talk')
    expect(entries).toMatchObject([
      { __typename: 'PersonMessage', author: { role: 'USER', name: 'a-stranger', trusted: false }, turn: null },
      { __typename: 'AgentText', author: { role: 'ASSISTANT' }, task: null, turn: null },
    ])
  })
})

test('the log is read from both ends, by seq, and by type', async () => {
  const ada = story.as('ada')
  await send(ada, 'cli:log', 'run: echo one')
  await using watch = watchAll(ada, 'cli:log')
  await turnEnd(watch)
  const seqsOf = async (page: object) => {
    const { session } = await ada.run(SessionEventsDocument, { id: 'cli:log', ...page })
    return { seqs: session?.events.edges.map(({ cursor }) => Number(cursor)), ...session?.events.pageInfo }
  }
  const all = watch.received.map(({ sessionEvents }) => sessionEvents).filter((event) => !('delta' in event))
  const seqs = all.map(({ seq }) => seq)
  expect((await seqsOf({ first: 100 })).seqs).toEqual(seqs)
  const last = await seqsOf({ last: 3 })
  expect(last).toMatchObject({ seqs: seqs.slice(-3), hasPreviousPage: true, hasNextPage: false })
  expect((await seqsOf({ last: 2, before: last.startCursor })).seqs).toEqual(seqs.slice(-5, -3))
  expect((await seqsOf({ first: 2, after: String(seqs[1]) })).seqs).toEqual(seqs.slice(2, 4))
  const steps = all.flatMap((event) => (event.__typename === 'PipelineStepEvent' ? [event.seq] : []))
  expect((await seqsOf({ types: ['PIPELINE_STEP'] })).seqs).toEqual(steps)
  expect((await seqsOf({ types: ['PIPELINE_STEP'], last: 1 })).seqs).toEqual(steps.slice(-1))
  const wrong = await ada.request(SessionEventsDocument, { id: 'cli:log', after: 'seven' })
  expect(wrong.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
})

test('a session is called by its description, by what was said first, or by its id', async () => {
  const ada = story.as('ada')
  const titleOf = async (id: string): Promise<string | undefined> => {
    const { sessions } = await ada.run(SessionTitlesDocument, {})
    return sessions?.edges.find(({ node }) => node.id === id)?.node.title
  }
  await ada.run(OpenSessionDocument, { input: { id: 'cli:named', description: 'Plans for May' } })
  await ada.run(OpenSessionDocument, { input: { id: 'cli:nameless' } })
  expect(await titleOf('cli:nameless')).toBe('cli:nameless')
  await ada.run(AppendMessageDocument, {
    input: { sessionId: 'cli:nameless', content: 'Good day.', role: 'ASSISTANT' },
  })
  expect(await titleOf('cli:nameless')).toBe('cli:nameless')
  for (const id of ['cli:named', 'cli:nameless']) {
    await converse(ada, id, ` \n Why is\tthe ${'very '.repeat(20)}build red?\nrun: true`)
    await converse(ada, id, 'And now?')
  }
  expect(await titleOf('cli:nameless')).toBe(`Why is the ${'very '.repeat(13)}very…`)
  expect(await titleOf('cli:named')).toBe('Plans for May')
})
