/**
 * One scenario for pages by Apollo, urql, Relay and TanStack Query in Chromium, each in two tabs, all at the same time:
 * every event comes once, and what the caches show at the end is what a reader who comes then is shown. For the
 * project's own client react-chat.pg.test.ts has it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { must } from '../../../src/platform/must.ts'
import { hasBrowser, withoutBrowser } from '../../harness/chromium.ts'
import {
  AppendMessageDocument,
  ChatDocument,
  CreateFactDocument,
  CreateTokenDocument,
  RevokeTokenDocument,
  type ChatQuery,
} from '../../generated/graphql.ts'
import { approvalRules } from '../../harness/approvals.ts'
import { Cluster, clientOf } from '../../harness/cluster.ts'
import { lastingPort } from '../../harness/lasting-port.ts'
import { PATIENCE } from '../../harness/patience.ts'
import type { ServerProcess } from '../../harness/server-process.ts'
import { send, watchAll } from '../../harness/story.ts'
import { TcpProxy } from '../../harness/tcp-proxy.ts'
import { ClientPages, type Tab } from './client-pages.ts'
import { OFFLINE_MS } from './offline-ms.ts'
import { CLIENTS, type ChatEvent, type Shown } from './page.ts'

// Real processes and a browser take a while on a busy machine.
vi.setConfig({ testTimeout: 300_000 })
const POLL = { ...PATIENCE, interval: 150 }

const RULES = `[approvals]\nown_user_may_decide = true\n${approvalRules('effect = "require"\ncommand = "tee"')}`
/** Its quotation is written for a moment: in pieces, unless the machine stands still just then. */
const LONG = 'A long question. '.repeat(80)
const MOST_TRIES = 9

/** A client's two tabs. */
interface Pair {
  readonly client: string
  readonly id: string
  readonly one: Tab
  readonly two: Tab
}

type Seen = readonly ChatEvent[]
const seenBy = ({ shown }: Tab): Promise<Seen> => shown.evaluate(({ events }) => events)
const chatIn = ({ shown }: Tab): Promise<Shown<ChatQuery>> => shown.evaluate(({ page }) => page.chat())
const count = async (tab: Tab, type: string): Promise<number> =>
  (await seenBy(tab)).filter(({ __typename }) => __typename === type).length

async function say({ shown }: Tab, sessionId: string, content: string): Promise<void> {
  const input = { sessionId, content }
  const sent = await shown.evaluate(({ page }, given) => page.say(given), input)
  expect(sent.__typename).toBe('SendMessagePayload')
}

/** Both tabs show what a reader who comes now is shown; they may show more of what was before. */
async function untilRight({ client, id, one, two }: Pair, server: ServerProcess): Promise<void> {
  for (const tab of [one, two])
    await vi.waitFor(async () => {
      const { session } = await clientOf(server, 'ada').run(ChatDocument, { id })
      const { lastSeq: _, conversation, ...rest } = must(session, 'there is the session')
      const shown = (await chatIn(tab))?.session
      const edges = shown?.conversation.edges.slice(-conversation.edges.length)
      expect({ client, session: { ...shown, conversation: { edges } } }).toMatchObject({
        client,
        session: { ...rest, conversation },
      })
    }, POLL)
}

async function openAll(pages: ClientPages, place: { readonly url: string; readonly token: string }): Promise<Pair[]> {
  return Promise.all(
    CLIENTS.map(async (client) => {
      const id = `cli:${client}`
      const [one, two] = await pages.open({ client, id, ...place })
      return { client, id, one, two }
    }),
  )
}

async function pageBack({ id, one, two }: Pair): Promise<void> {
  for (const { shown } of [one, two]) {
    const { session } = await shown.evaluate(async ({ page }, of) => {
      const newest = await page.run('ChatEarlier', { id: of })
      return page.run('ChatEarlier', { id: of, before: newest.session?.conversation.pageInfo.startCursor })
    }, id)
    const said = session?.conversation.edges.map(({ node }) => node.content)
    expect(said).toEqual(Array.from({ length: 15 }, (_, n) => `Earlier ${n + 1}`))
  }
}

async function stream({ client, id, one, two }: Pair): Promise<void> {
  const tabs = [one, two]
  const piecesOf = (): Promise<number[]> => Promise.all(tabs.map((tab) => count(tab, 'TextDeltaEvent')))
  let fewest = 0
  for (let turn = 1; turn <= MOST_TRIES && fewest <= 1; turn += 1) {
    const before = await piecesOf()
    await say(one, id, LONG)
    for (const tab of tabs)
      await expect.poll(() => count(tab, 'TurnCompletedEvent'), { ...POLL, message: client }).toBe(turn)
    fewest = Math.min(...(await piecesOf()).map((pieces, index) => pieces - (before[index] ?? 0)))
  }
  expect(fewest).toBeGreaterThan(1)
}

async function approve({ client, id, one, two }: Pair, server: ServerProcess): Promise<void> {
  await say(two, id, 'run: echo done | tee approved')
  const asked = async () => (await clientOf(server, 'ada').session(id).view())?.approvals.at(0)?.id
  await expect.poll(asked, { ...POLL, message: client }).toBeDefined()
  const input = { id: await asked(), approve: true }
  const decided = await one.shown.evaluate(({ page }, given) => page.run('ChatDecide', { input: given }), input)
  expect(decided.decideApproval).toMatchObject({ approval: { status: 'APPROVED' } })
}

/** Of two people who edit the same text the later one is refused, is shown the other's, and edits that. */
async function editFact({ client, one, two }: Pair, server: ServerProcess): Promise<void> {
  const content = `The page of ${client} is blue`
  const { createFact: made } = await clientOf(server, 'ada').run(CreateFactDocument, { content })
  if (made.__typename !== 'CreateFactPayload') throw new Error(JSON.stringify(made))
  const { id, version } = made.fact
  for (const { shown } of [one, two]) await shown.evaluate(({ page }, of) => page.openFact(of), id)
  const edit = async ({ shown }: Tab, text: string, of: number) => {
    const input = { id, content: `The page of ${client} is ${text}`, version: of }
    const { editFact: edited } = await shown.evaluate(
      ({ page }, given) => page.run('ChatEditFact', { input: given }),
      input,
    )
    return edited
  }
  const factIn = ({ shown }: Tab) => shown.evaluate(({ page }) => page.fact())
  expect(await edit(one, 'red', version)).toMatchObject({ __typename: 'EditFactPayload' })
  const red = { id, content: `The page of ${client} is red` }
  await expect.poll(() => factIn(one), POLL).toMatchObject(red)
  expect(await edit(two, 'green', version)).toMatchObject({ __typename: 'ConflictRefusal', current: red })
  await expect.poll(() => factIn(two), POLL).toMatchObject(red)
  const shown = await factIn(two)
  if (shown?.__typename !== 'Fact') throw new Error(client)
  expect(await edit(two, 'green', shown.version)).toMatchObject({ __typename: 'EditFactPayload' })
  const green = { content: `The page of ${client} is green` }
  await expect.poll(() => factIn(two), POLL).toMatchObject(green)
  expect((await one.shown.evaluate(({ page }, of) => page.run('ChatFact', { id: of }), id)).node).toMatchObject(green)
  await expect.poll(() => factIn(one), POLL).toMatchObject(green)
}

async function upload({ id, one }: Pair, { url, token, server }: Upload): Promise<void> {
  const status = await one.opened.page.evaluate(
    async ([to, authorization]) => (await fetch(to, { method: 'PUT', headers: { authorization }, body: 'x' })).status,
    [`${url}/files/${encodeURIComponent(id)}/plan.txt`, `Bearer ${token}`] as const,
  )
  expect(status).toBeLessThan(300)
  const names = (await clientOf(server, 'ada').session(id).files()).map(({ name }) => name)
  expect(names).toContain('plan.txt')
}

interface Upload {
  readonly url: string
  readonly token: string
  readonly server: ServerProcess
}

async function stop({ id, one, two }: Pair): Promise<void> {
  const before = await count(two, 'TaskOutputEvent')
  await say(one, id, 'run: echo begun; sleep 60')
  await expect.poll(() => count(two, 'TaskOutputEvent'), POLL).toBeGreaterThan(before)
  const ended = await count(two, 'TurnCompletedEvent')
  await two.shown.evaluate(({ page }, sessionId) => page.run('ChatStop', { sessionId }), id)
  await expect.poll(() => count(two, 'TurnCompletedEvent'), POLL).toBe(ended + 1)
}

/** What came to both tabs is the log since they were opened, each event once. */
async function expectLog({ client, id, one, two }: Pair, server: ServerProcess): Promise<void> {
  for (const tab of [one, two]) {
    const after = await tab.shown.evaluate(({ after: from }) => from)
    const lastSeq = async () => (await clientOf(server, 'ada').run(ChatDocument, { id })).session?.lastSeq ?? 0
    // The log may still grow, by a summary for example.
    let seen: Seen = []
    const isLevel = async () => (seen = await seenBy(tab)).at(-1)?.seq === (await lastSeq())
    await expect.poll(isLevel, { ...POLL, message: client }).toBe(true)
    const last = must(seen.at(-1), 'something has come').seq
    await using watch = watchAll(clientOf(server, 'ada'), id, after)
    await watch.until(({ sessionEvents }) => sessionEvents.seq === last)
    const log = watch.received.map(({ sessionEvents }) => sessionEvents).filter(({ seq }) => seq <= last)
    expect({ client, seqs: lasting(seen) }).toEqual({ client, seqs: lasting(log) })
  }
}

/** Pieces of a text leave the log when it is whole. */
function lasting(events: Seen): number[] {
  return events.flatMap(({ __typename: type, seq }) => (type === 'TextDeltaEvent' ? [] : [seq]))
}

test.skipIf(!hasBrowser)(`chats by every client, over all that may happen to a page${withoutBrowser}`, async () => {
  await using cluster = await Cluster.begin({ config: { toml: RULES, settings: { max_running_per_user: 8 } } })
  const first = await cluster.start({ env: { PORT: await lastingPort() } })
  const ada = clientOf(first, 'ada')
  const input = { name: 'page', kind: 'USER', user: 'ada' } as const
  const { createToken: made } = await ada.run(CreateTokenDocument, { input })
  if (made.__typename !== 'CreateTokenPayload') throw new Error(JSON.stringify(made))
  for (const client of CLIENTS) {
    await ada.session(`cli:${client}`).open()
    for (let n = 1; n <= 35; n += 1)
      await ada.run(AppendMessageDocument, { input: { sessionId: `cli:${client}`, content: `Earlier ${n}` } })
  }
  await using proxy = await TcpProxy.start(first.url)
  const place = { url: new URL(proxy.through(first.url)).origin, token: made.secret }
  await using pages = await ClientPages.begin()
  const pairs = await openAll(pages, place)
  const tabs = pairs.flatMap(({ one, two }) => [one, two])
  const each = (step: (pair: Pair) => Promise<void>): Promise<unknown> => Promise.all(pairs.map(step))

  await each((pair) => pageBack(pair))
  await each((pair) => stream(pair))
  await each((pair) => untilRight(pair, first))
  const before = await Promise.all(tabs.map((tab) => count(tab, 'TurnCompletedEvent')))
  const untilEnded = async (turns: number): Promise<void> => {
    for (const [index, tab] of tabs.entries())
      await expect.poll(() => count(tab, 'TurnCompletedEvent'), POLL).toBe((before[index] ?? 0) + turns)
  }

  await each(({ id, one }) => say(one, id, 'run: for n in $(seq 100); do echo $n; sleep 0.1; done'))
  for (const tab of tabs) await expect.poll(() => count(tab, 'TaskOutputEvent'), POLL).toBeGreaterThan(2)
  await first.kill()
  const second = await cluster.start({ env: { PORT: new URL(first.url).port } })
  await untilEnded(1)
  await each((pair) => untilRight(pair, second))

  await each((pair) => approve(pair, second))
  await untilEnded(2)
  await each((pair) => editFact(pair, second))
  await each((pair) => upload(pair, { ...place, server: second }))
  await each((pair) => stop(pair))
  await each((pair) => untilRight(pair, second))

  proxy.cut()
  await each(async ({ id, one }) => expect(say(one, id, 'From a tunnel')).rejects.toThrow('Failed to fetch'))
  await each(async ({ id }) => void (await send(clientOf(second, 'ada'), id, 'Meanwhile')))
  await pause(OFFLINE_MS)
  proxy.restore()
  await untilEnded(4)
  await each((pair) => untilRight(pair, second))
  await each((pair) => expectLog(pair, second))
  expect(tabs.flatMap(({ opened }) => opened.problems)).toEqual([])

  await clientOf(second, 'ada').run(RevokeTokenDocument, { input: { name: 'page' } })
  for (const { shown } of tabs)
    await expect.poll(() => shown.evaluate(({ closeCodes }) => closeCodes.at(-1)), POLL).toBe(4401)
  await each(async ({ id, one }) => expect(say(one, id, 'Too late')).rejects.toThrow('The token is unknown.'))
})
