/**
 * The client library against the real API: what a page shows, and that nothing is lost whatever happens to the
 * connection.
 */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  ClientError,
  connect,
  type SessionClient,
  type SessionEvent,
  type SessionView,
} from '../../packages/client/src/connect.ts'
import { askOperators } from '../harness/ask-operators.ts'
import { ApiClient } from '../harness/api-client.ts'
import { approvalRules, untilAsked } from '../harness/approvals.ts'
import { Cluster } from '../harness/cluster.ts'
import { storyConfig, Story, tokenOf, turnEnd, watchAll, type Person } from '../harness/story.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import {
  CreateQuestionDocument,
  RemoveParticipantDocument,
  ResolveQuestionDocument,
  SessionMessagesDocument,
  SnapshotWithViewDocument,
  TypedDocumentString,
} from '../generated/graphql.ts'
import { PATIENCE } from '../harness/patience.ts'

/** Some of everything: output in pieces, a second plan, a text in pieces. */
const MESSAGE = `run: for n in 1 2 3; do echo line $n; sleep 0.05; done
fail: to see another plan
${'A long question. '.repeat(60)}`

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: approvalRules('effect = "require"\ncommand = "tee"') } })
})
afterAll(() => story[Symbol.asyncDispose]())

/** A page of a user's, of a session of this test. */
function page(
  id: string,
  { url = story.app.url, person = 'ada' }: { url?: string; person?: Person } = {},
): SessionClient {
  return connect({ url, token: tokenOf(person) }).session(id)
}

async function accept(session: SessionClient, content: string): Promise<string> {
  const sent = await session.send(content)
  if (sent.__typename !== 'SendMessagePayload') throw new Error(`not accepted: ${sent.problem}`)
  return sent.message.id
}

/** Everything until so many turns have ended. */
async function readTurns(
  events: AsyncIterable<SessionEvent>,
  turns = 1,
  visit?: (event: SessionEvent) => unknown,
): Promise<SessionEvent[]> {
  const read: SessionEvent[] = []
  for await (const event of events) {
    read.push(event)
    await visit?.(event)
    if (event.__typename === 'TurnCompletedEvent' && (turns -= 1) === 0) return read
  }
  throw new Error('the events ended before the turns did')
}

/** Pieces of text leave the log when the text is whole, so who comes later does not get them. */
function lasting(events: readonly SessionEvent[]): string[] {
  return events
    .filter((event) => event.__typename !== 'TextDeltaEvent')
    .map(({ seq, __typename }) => `${seq} ${__typename}`)
}

function expectInOrder(events: readonly SessionEvent[]): void {
  const seqs = events.map(({ seq }) => seq)
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
}

async function logOf(id: string, { ada = story.as('ada'), after = 0 } = {}): Promise<string[]> {
  const document = `query ($id: ID!, $after: String!) { session(id: $id) { events(after: $after, first: 500) { edges { node { seq __typename } } } } }`
  type Log = { session: { events: { edges: { node: { seq: number; __typename: string } }[] } } }
  const { session } = await ada.run<Log, object>(document, { id, after: String(after) })
  return session.events.edges.map(({ node: { seq, __typename } }) => `${seq} ${__typename}`)
}

describe('a page', () => {
  test('tabs see the same at the same version, and in the end what a fresh page sees', async () => {
    const id = 'web:tabs'
    await accept(page(id), `wait: 800\n${MESSAGE}`)
    const seen: SessionView[] = []
    const tab = async (): Promise<SessionView> => {
      for await (const view of page(id).watch()) {
        seen.push(view)
        if (view.activeTurn === null && view.queueLength === 0) return view
      }
      throw new Error('the view ended')
    }
    const tabs = [tab(), tab(), tab()]
    await accept(page(id), 'And another one.')
    const last = await Promise.all(tabs)
    const fresh = await page(id).view()
    for (const view of last) expect(view).toEqual(fresh)
    expect(fresh).toMatchObject({ status: 'IDLE', queue: [], usage: { calls: expect.any(Number) } })
    // What model calls cost is counted without an event of its own; pieces of a text leave the log as soon as it is
    // whole.
    const uncounted = (key: string, value: unknown): unknown => (key === 'usage' || key === 'output' ? null : value)
    const different = new Set(seen.map((view) => JSON.stringify(view, uncounted)))
    expect(different.size).toBe(new Set(seen.map(({ version }) => version)).size)
    expect(seen.map(({ activeTurn }) => activeTurn?.step)).toContain('PLANNING')
  })

  test('that is reloaded in the middle shows what those see who were there from the beginning', async () => {
    const id = 'web:reload'
    const go = story.path('go')
    await accept(page(id), `run: echo before; until [ -e ${go} ]; do sleep 0.02; done; echo after`)
    for await (const event of page(id).events({ after: 0 })) if (event.__typename === 'TaskOutputEvent') break
    await accept(page(id), 'The next one.')

    const reloaded = page(id)
    const view = await reloaded.view()
    expect(view).toMatchObject({
      status: 'RUNNING',
      activeTurn: {
        step: 'EXECUTING',
        plan: {
          attempt: 1,
          tasks: [
            { type: 'EXEC', status: 'RUNNING' },
            { type: 'MSG', status: 'PENDING' },
          ],
        },
        progress: { done: 0, total: 2, task: { index: 0, type: 'EXEC' }, output: 'before\n' },
      },
      queueLength: 1,
      queue: [{ position: 0, message: { content: 'The next one.', user: 'ada' } }],
      approvals: [],
    })
    await writeFile(go, '')
    const after = view?.version ?? 0
    const rest = await readTurns(reloaded.events({ after }), 2)
    expect(lasting(rest)).toEqual(await logOf(id, { after }))
    expectInOrder(rest)
  })

  test('may have its view with the snapshot of a subscription', async () => {
    const id = '@ben:snapshot'
    await accept(page(id, { person: 'ben' }), 'Hello')
    await readTurns(page(id).events({ after: 0 }))
    await using watch = story.as('ben').watch(SnapshotWithViewDocument, { sessionId: id })
    const { sessionEvents } = await watch.until(() => true)
    expect(sessionEvents).toEqual({ seq: expect.any(Number), session: { view: await page(id).view() } })
  })

  test('shows what a turn waits for, decides about it, and sees it go on', async () => {
    const id = 'web:approval'
    const ada = page(id)
    await accept(ada, `run: echo approved | tee ${story.path('approved')}`)
    await using watch = watchAll(story.as('ada'), id)
    await untilAsked(watch)
    const view = await ada.view()
    expect(view).toMatchObject({
      status: 'AWAITING_APPROVAL',
      activeTurn: { turn: { status: 'AWAITING_APPROVAL' }, progress: { task: { status: 'AWAITING_APPROVAL' } } },
      approvals: [{ approvalStatus: 'PENDING', task: { detail: expect.stringContaining('tee') } }],
    })
    const approvalId = view?.approvals[0]?.id ?? ''
    expect(await page(id, { person: 'cleo' }).approve(approvalId)).toMatchObject({ __typename: 'NotFoundRefusal' })
    expect(await ada.approve(approvalId, { note: 'Go on.' })).toMatchObject({
      __typename: 'DecideApprovalPayload',
      approval: { approvalStatus: 'APPROVED', decidedBy: { name: 'ada' }, note: 'Go on.' },
    })
    expect(await ada.deny(approvalId)).toMatchObject({ __typename: 'ConflictRefusal' })
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
    expect(await ada.view()).toMatchObject({ status: 'IDLE', approvals: [] })
  })

  test('shows all that a whole plan will run before it is approved, in the view, the log and the list', async () => {
    const id = 'discord:plan'
    await page(id, { person: 'discord' }).send('Hello', { user: 'Mallory' })
    await accept(page(id), 'run: echo first\nrun: echo second')
    await using watch = watchAll(story.as('ada'), id)
    const [inLog] = await untilAsked(watch)
    const inView = (await page(id).view())?.approvals[0]
    const client = connect({ url: story.app.url, token: tokenOf('ada') })
    const list = client.approvals({ status: ['PENDING'], sessionId: id })
    list.subscribe(() => {})
    await expect.poll(() => list.getSnapshot().items).toHaveLength(1)
    const inList = list.getSnapshot().items[0]
    client.close()
    const calls = ['echo first', 'echo second'].map((detail) => ({ type: 'EXEC', detail, skill: null, tool: null }))
    for (const approval of [inLog, inView, inList])
      expect(approval).toMatchObject({ kind: 'PLAN', task: { plan: { tasks: [...calls, { type: 'MSG' }] } } })
  })
})

test('a page at rest is told of the questions that admins ask and resolve', async () => {
  const id = '@ben:question'
  const admin = story.as('ada')
  await accept(page(id, { person: 'ben' }), 'Hello')
  await readTurns(page(id).events({ after: 0 }))
  const asked: string[][] = []
  for await (const { questions } of page(id, { person: 'ben' }).watch()) {
    asked.push(questions.map(({ content }) => content))
    const [open] = questions
    if (asked.length === 1) await admin.run(CreateQuestionDocument, { content: 'Which port?', sessionId: id })
    else if (open !== undefined) await admin.run(ResolveQuestionDocument, { id: open.id, answer: '4000' })
    else break
  }
  expect(asked).toEqual([[], ['Which port?'], []])
})

describe('events', () => {
  test('a server that is killed in the middle and comes back: nothing missing, nothing twice', async () => {
    await using cluster = await Cluster.begin()
    const first = await cluster.start()
    await using proxy = await TcpProxy.start(first.url)
    const id = 'web:killed'
    const killed = page(id, { url: proxy.through(first.url) })
    await accept(killed, 'run: echo one\nrun: echo two; sleep 600\nWhat happened?')
    let servers = 1
    const read = await readTurns(killed.events({ after: 0 }), 1, async (event) => {
      if (servers > 1 || event.__typename !== 'TaskOutputEvent' || event.text !== 'two\n') return
      await first.kill()
      servers += 1
      const second = await cluster.start()
      proxy.leadTo(second.url)
    })
    expect(servers).toBe(2)
    expectInOrder(read)
    const ada = new ApiClient(proxy.through(first.url).replace(/\/$/, ''), tokenOf('ada'))
    expect(lasting(read)).toEqual(await logOf(id, { ada }))
  })

  test('a connection that is cut again and again: nothing missing, nothing twice', async () => {
    await using proxy = await TcpProxy.start(story.app.url)
    const id = 'web:cut'
    const cut = page(id, { url: proxy.through(story.app.url) })
    await accept(cut, MESSAGE)
    let cuts = 0
    const read = await readTurns(cut.events({ after: 0 }), 1, ({ seq }) => {
      if (seq % 4 !== 0) return
      proxy.cut()
      proxy.restore()
      cuts += 1
    })
    expect(cuts).toBeGreaterThan(5)
    expectInOrder(read)
    expect(lasting(read)).toEqual(await logOf(id))
  })

  test('without a cursor: the session as it is, then what follows, also across a cut', async () => {
    await using proxy = await TcpProxy.start(story.app.url)
    const id = 'web:live'
    const live = page(id, { url: proxy.through(story.app.url) })
    await accept(live, 'First.')
    await readTurns(live.events({ after: 0 }))
    const [snapshot, ...rest] = await readTurns(live.events(), 1, async (event) => {
      if (event.__typename !== 'SessionSnapshot') return
      proxy.cut()
      await accept(page(id), 'Second.')
      proxy.restore()
    })
    expect(snapshot).toMatchObject({ __typename: 'SessionSnapshot', session: { id, turnCount: 1 } })
    expect(lasting(rest)).toEqual(await logOf(id, { after: snapshot?.seq ?? 0 }))
  })

  test('who loses access is told why, and the loop ends; so does the view', async () => {
    const id = '@ben:removed'
    const ben = page(id, { person: 'ben' })
    await accept(ben, 'Hello')
    const reasons = [reasonOf(ben.events({ after: 0 })), reasonOf(ben.watch())]
    await readTurns(ben.events({ after: 0 }))
    await story.as('ada').run(RemoveParticipantDocument, { sessionId: id, user: 'ben' })
    const gone = `NOT_FOUND There is no session "${id}" that you may see.`
    expect(await Promise.all(reasons)).toEqual([gone, gone])
    expect(await ben.view()).toBeNull()
  })

  test('a token that is taken away ends it, and is refused from then on', async () => {
    await using other = await Story.begin()
    const ben = page('@ben:token', { person: 'ben', url: other.app.url })
    await accept(ben, 'Hello')
    const reason = reasonOf(ben.events({ after: 0 }))
    await readTurns(ben.events({ after: 0 }))
    await other.reconfigure(storyConfig().replace(/\[tokens\.ben\][^[]*/, ''))
    expect(await reason).toMatch(/^UNAUTHENTICATED .*token/)
    await expect(ben.send('Still me')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(await reasonOf(ben.events({ after: 0 }))).toMatch(/^UNAUTHENTICATED/)
  })

  test('an id or a cursor that is none is an error at once', async () => {
    await accept(page('web:short'), 'Hello')
    expect(await reasonOf(page('web:none').events({ after: 1 }))).toMatch(/^NOT_FOUND/)
    expect(await page('web:none').view()).toBeNull()
    expect(await reasonOf(page('web:short').events({ after: 1_000_000 }))).toMatch(/^BAD_USER_INPUT/)
  })

  test('a loop is left by break, by its signal, and by closing the client; then nothing is left on the server', async () => {
    const client = connect({ url: `${story.app.url}/graphql`, token: () => Promise.resolve(tokenOf('ada')) })
    const left = client.session('web:left')
    await accept(left, 'Hello')
    for await (const event of left.events({ after: 0 })) if (event.seq > 1) break
    const stop = new AbortController()
    const stopped = reasonOf(left.events({ after: 0, signal: stop.signal }))
    const closed = [reasonOf(left.events({ after: 0 })), reasonOf(left.watch())]
    await readTurns(left.events({ after: 0 }))
    stop.abort()
    expect(await stopped).toBe('ended')
    client.close()
    expect(await Promise.all(closed)).toEqual(['ended', 'ended'])
    await vi.waitFor(async () => {
      const metrics = await (await askOperators(story.app.url, '/metrics')).text()
      expect(metrics).toMatch(/^factotum_subscribers\{kind="log"\} 0$/m)
    }, PATIENCE)
  })
})

test('more sessions are followed at once than the server lets run on one socket', async () => {
  const client = connect({ url: story.app.url, token: tokenOf('discord') })
  const channels = Array.from({ length: 120 }, (_, n) => client.session(`discord:many-${n}`))
  const first = channels.map((channel) => channel.events({ after: 0 }).next())
  for (const channel of channels) await channel.open()
  expect((await Promise.all(first)).filter(({ done }) => done === true)).toEqual([])
  client.close()
})

describe('send', () => {
  test('whose answer is lost is sent again, and is one message', async () => {
    await using proxy = await TcpProxy.start(story.app.url)
    const id = 'web:lost'
    const lost = proxy.loseAnswerTo('the one message')
    const sent = await page(id, { url: proxy.through(story.app.url) }).send('the one message')
    await lost
    expect(sent).toMatchObject({ __typename: 'SendMessagePayload', duplicate: true })
    const client = connect({ url: story.app.url, token: tokenOf('ada') })
    const { session } = await client.run(SessionMessagesDocument, { id })
    expect(session?.messages.edges.map(({ node }) => node.content)).toEqual(['the one message'])
  })

  test('waits for a server that is away, as long as it was told to', async () => {
    await using proxy = await TcpProxy.start(story.app.url)
    const url = proxy.through(story.app.url)
    proxy.cut()
    const impatient = connect({ url, token: tokenOf('ada'), patienceMs: 1 }).session('web:away')
    await expect(impatient.send('Hello?')).rejects.toMatchObject({ name: 'ClientError', code: 'UNREACHABLE' })
    const sent = page('web:away', { url }).send('Hello!')
    proxy.restore()
    expect(await sent).toMatchObject({ __typename: 'SendMessagePayload', duplicate: false })
  })

  test('what is refused is a value', async () => {
    const ada = page('web:refused')
    expect(await ada.send('')).toMatchObject({ __typename: 'InvalidInputRefusal', issues: [{ path: ['content'] }] })
    expect(await ada.send('Hello', { idempotencyKey: 'mine' })).toMatchObject({ duplicate: false })
    expect(await ada.send('Hello', { idempotencyKey: 'mine' })).toMatchObject({ duplicate: true })
    const signal = AbortSignal.abort(new Error('never mind'))
    await expect(ada.send('Hello', { signal })).rejects.toThrow('never mind')
  })
})

describe('upload', () => {
  test('through a connector is from the person whom it names', async () => {
    const channel = page('discord:files', { person: 'discord' })
    const user = 'Ben#1'
    expect(await channel.upload('early.txt', 'a', { user })).toMatchObject({ __typename: 'Uploaded' })
    expect(await channel.upload('plan.txt', 'a', { user })).toMatchObject({ __typename: 'Uploaded', name: 'plan.txt' })
    expect(await channel.upload('plan.txt', 'a', { user: 'Zoë & Co?' })).toMatchObject({
      problem: 'Files are taken from known users alone, and "Zoë & Co?" is none.',
    })
    expect(await channel.upload('plan.txt', 'a')).toMatchObject({ code: 'INVALID_INPUT' })
  })
})

/** How a loop over these ends: "ended", or the code and message of its error. */
async function reasonOf(items: AsyncIterable<unknown>): Promise<string> {
  try {
    for await (const item of items) expect(item).toBeDefined()
    return 'ended'
  } catch (error) {
    if (error instanceof ClientError) return `${error.code} ${error.message}`
    throw error
  }
}

test('a client that asks for what this server does not know is told which one to install', async () => {
  const client = connect({ url: story.app.url, token: tokenOf('ada') })
  const later = new TypedDocumentString<{ later: string }, Record<string, never>>('query Later { fromLaterOn }')
  const error = await client.run(later, {}).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ name: 'ClientError', code: 'GRAPHQL_VALIDATION_FAILED' })
  expect(String(error)).toMatch(/fromLaterOn.*client 0\.\d+\.\d+; npm install .*\/client\.tgz/s)
  client.close()
})
