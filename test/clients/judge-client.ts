/**
 * What a page may expect of any client with a cache, as stories: it reads once, its events keep what it shows right,
 * also over an interruption, and the client has nothing to complain about.
 */
import { writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { converse, send, Story, tokenOf, turnEnd, watchAll } from '../harness/story.ts'
import { must } from '../../src/platform/must.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import {
  CancelTurnDocument,
  ChatDocument,
  ChatListDocument,
  EditQueuedMessageDocument,
  SetBusyPolicyDocument,
  WithdrawMessageDocument,
  type ChatQuery,
} from '../generated/graphql.ts'
import { openSocket, type Place } from './live-socket.ts'
import type { ChatEvent, OpenPage, Page, Shown } from './pages/page.ts'
import { PATIENCE } from '../harness/patience.ts'

/** The stories. `open`: a page of the client, at this server. */
export function judgeClient(name: string, open: OpenPage): void {
  describe(`a page by ${name}`, () => {
    let story: Story
    const asked: string[] = []
    const complaints: unknown[] = []
    beforeAll(async () => {
      story = await Story.begin({
        config: { toml: approvalRules('effect = "require"\ncommand = "tee"') },
        log: (line) => asked.push(...operationOf(line)),
      })
    })
    afterAll(() => story[Symbol.asyncDispose]())
    beforeEach(() => {
      for (const level of ['warn', 'error'] as const)
        vi.spyOn(console, level).mockImplementation((...words: unknown[]) => void complaints.push(words))
    })
    afterEach(() => {
      vi.restoreAllMocks()
      expect(complaints.splice(0)).toEqual([])
      expect(asked.splice(0).filter((operation) => /^Chat(Query)?$/.test(operation))).toHaveLength(1)
    })
    /** The page shows what a reader who comes now is shown. */
    const untilRight = (page: Page, id: string): Promise<void> =>
      vi.waitFor(async () => expect(page.chat()).toMatchObject(await readFresh(story, id)), {
        ...PATIENCE,
        interval: 150,
      })
    const place = (): Place => ({ url: story.app.url, token: tokenOf('ada'), retryWait: () => pause(20) })

    test('a page that was read once is right by events alone, and a refusal is read as one', async () => {
      const ada = story.as('ada')
      const id = `web:${name}`
      await converse(ada, id, 'run: echo one')
      await using page = await opened(open, place())
      const events: ChatEvent[] = []
      page.followChat(id, await page.openChat(id), (event) => events.push(event))

      expect(await page.say({ sessionId: id, content: 'fail: once\nrun: echo two' })).toMatchObject({
        __typename: 'SendMessagePayload',
      })
      await expect.poll(() => events.at(-1)?.__typename).toBe('TurnCompletedEvent')
      await vi.waitFor(() => expectWork(page.chat()), PATIENCE)
      await untilRight(page, id)

      expect(await page.say({ sessionId: id, content: ' ' })).toMatchObject({
        __typename: 'InvalidInputRefusal',
        code: 'INVALID_INPUT',
        problem: expect.any(String),
      })
    })

    test('after an interruption no event is missing or comes twice, and lists are read again', async () => {
      const ada = story.as('ada')
      const id = `web:${name}-interrupted`
      await converse(ada, id, 'run: echo one')
      await using proxy = await TcpProxy.start(story.app.url)
      await using page = await opened(open, { ...place(), url: new URL(proxy.through(story.app.url)).origin })
      page.openList()
      const after = await page.openChat(id)
      const events: ChatEvent[] = []
      page.followChat(id, after, (event) => events.push(event))
      const ended = (): number => events.filter(({ __typename }) => __typename === 'TurnCompletedEvent').length

      await page.say({ sessionId: id, content: 'run: for n in 1 2 3; do echo $n; sleep 0.1; done' })
      await expect.poll(() => events.some(({ __typename }) => __typename === 'TaskOutputEvent')).toBe(true)
      proxy.cut()
      await send(ada, id, 'run: echo three')
      await converse(ada, `web:${name}-meanwhile`, 'run: echo elsewhere')
      await using watch = watchAll(ada, id, after)
      await turnEnd(watch, 2)
      proxy.restore()

      await expect.poll(ended).toBe(2)
      expect(events.filter(isLasting).map(({ seq }) => seq)).toEqual(
        watch.received.flatMap(({ sessionEvents }) => (isLasting(sessionEvents) ? [sessionEvents.seq] : [])),
      )
      await untilRight(page, id)
      const { sessions } = await ada.run(ChatListDocument)
      await expect.poll(() => page.list()).toMatchObject({ sessions })
    })

    test('messages that are edited, withdrawn, joined, cancelled or wait for an approval are shown so', async () => {
      const ada = story.as('ada')
      const id = `web:${name}-changing`
      const gate = story.path(`${name}.gate`)
      const busy = `run: until [ -e ${gate} ]; do sleep 0.02; done`
      await converse(ada, id, 'run: echo one')
      await using page = await opened(open, place())
      page.followChat(id, await page.openChat(id), () => {})
      await send(ada, id, busy)
      const edited = await send(ada, id, 'run: echo two')
      const withdrawn = await send(ada, id, 'run: echo three')
      await send(ada, id, 'run: echo four')
      await untilRight(page, id)
      await ada.run(EditQueuedMessageDocument, { id: edited.message.id, content: 'run: tee approved' })
      await ada.run(WithdrawMessageDocument, { id: withdrawn.message.id })
      await untilRight(page, id)
      await ada.run(CancelTurnDocument, { sessionId: id })
      await using watch = watchAll(ada, id)
      const [approval] = await untilAsked(watch)
      await untilRight(page, id)
      expect(
        page
          .chat()
          ?.session?.conversation.edges.slice(2)
          .map(({ node }) => node),
      ).toMatchObject([
        { message: { status: 'CANCELLED' }, turn: { status: 'CANCELLED' } },
        { content: 'run: tee approved', turn: { status: 'AWAITING_APPROVAL', pausedReason: expect.any(String) } },
        { message: { status: 'CANCELLED' }, turn: { status: 'CANCELLED' } },
        { message: { status: 'QUEUED' }, turn: { status: 'QUEUED' } },
      ])

      await ada.run(SetBusyPolicyDocument, { id, busyPolicy: 'STEER' })
      await decide(ada, { id: approval?.id ?? '', approve: true, scope: 'SESSION' })
      await turnEnd(watch, 5)
      await untilRight(page, id)
      await send(ada, id, busy)
      await send(ada, id, 'run: echo five')
      await writeFile(gate, '')
      await turnEnd(watch, 7)
      await untilRight(page, id)
    })
  })
}

/** The names of the operations that a line of the server's log tells of. */
function operationOf(line: string): string[] {
  const { operation } = JSON.parse(line) as { readonly operation?: string }
  return operation === undefined ? [] : [operation]
}

async function opened(open: OpenPage, place: Place): Promise<Page & AsyncDisposable> {
  const socket = openSocket(place)
  const page = await open(place, socket)
  const close = async (): Promise<void> => {
    page.close()
    await socket.dispose()
  }
  return Object.assign(page, { [Symbol.asyncDispose]: close })
}

/** Pieces of a text leave the log when the text is whole: who was away then does not get them. */
function isLasting({ __typename: type }: { readonly __typename?: string }): boolean {
  return type !== 'TextDeltaEvent'
}

/** Without what no event brings. */
async function readFresh(story: Story, id: string): Promise<object> {
  const document = String(ChatDocument).replace('query Chat(', 'query Fresh(')
  const { session } = await story.as('ada').run<ChatQuery, object>(document, { id })
  const { lastSeq: _, ...rest } = must(session, 'there is the session')
  return { session: rest }
}

/** That there is something to compare: two turns with an answer, the second with a second plan. */
function expectWork(shown: Shown<ChatQuery>): void {
  const entries = shown?.session?.conversation.edges.map(({ node }) => node) ?? []
  const turns = entries.flatMap((entry) => (entry.__typename === 'PersonMessage' ? [entry.turn] : []))
  expect(turns).toMatchObject([
    { status: 'DONE', answer: { content: expect.any(String) }, plans: [{}] },
    { status: 'DONE', answer: { content: expect.any(String) }, plans: [{}, {}] },
  ])
}
