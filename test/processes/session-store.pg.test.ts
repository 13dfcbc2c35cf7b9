/** A session as a page shows it by the client's SessionStore: what the server says of it, whatever happens between. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connect, sessionStore, type FactotumClient, type SessionState } from '../../packages/client/src/connect.ts'
import { AppendMessageDocument, EraseUserDocument, OpenSessionDocument } from '../generated/graphql.ts'
import { approvalRules } from '../harness/approvals.ts'
import { Story, tokenOf, type Person } from '../harness/story.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: approvalRules('effect = "require"\ncommand = "tee"') } })
})
afterAll(() => story[Symbol.asyncDispose]())

function clientOf(person: Person = 'ada', url = story.app.url): FactotumClient {
  return connect({ url, token: tokenOf(person) })
}

function openStore(id: string, url = story.app.url) {
  const client = clientOf('ada', url)
  const store = sessionStore(client, id)
  const states: SessionState[] = []
  const leave = store.subscribe(() => states.push(store.getSnapshot()))
  const close = (): void => {
    leave()
    client.close()
  }
  return { client, store, states, shown: store.getSnapshot, [Symbol.dispose]: close }
}

/** Ids and texts of what was said. */
function said({ entries }: SessionState): unknown[] {
  return entries.flatMap((entry) => (entry.kind === 'thinking' ? [] : [[entry.seq, entry.content]]))
}

async function saidOn(client: FactotumClient, id: string): Promise<unknown[]> {
  const { entries } = await client.session(id).history({ last: 100 })
  return entries.map(({ seq, content }) => [seq, content])
}

test('a message opens the session, is shown once at any moment, and its turn is shown as it goes', async () => {
  using page = openStore('cli:store')
  await expect.poll(() => page.shown().status).toBe('absent')
  await page.store.send('run: echo hello')
  await expect.poll(() => page.shown().entries.at(-1)).toMatchObject({ kind: 'agent', final: true })
  const done = { status: 'DONE', plan: { tasks: [{ output: 'hello\n' }, {}] } }
  await expect.poll(() => page.shown().turn).toMatchObject(done)
  const shown = page.states.map(({ entries }) => entries.flatMap(({ kind, key }) => (kind === 'person' ? key : [])))
  const fromFirst = shown.slice(shown.findIndex((keys) => keys.length > 0))
  expect(fromFirst).toEqual(fromFirst.map(() => fromFirst[0]))
  expect(fromFirst[0]).toHaveLength(1)

  const refused = await page.store.send(' ')
  expect(refused).toMatchObject({ __typename: 'InvalidInputRefusal' })
  const { key, kind } = page.shown().entries.at(-1) ?? {}
  expect(page.shown().entries.at(-1)).toMatchObject({ kind, sending: { status: 'REFUSED' } })
  page.store.discard(key ?? '')
  expect(said(page.shown())).toEqual(await saidOn(page.client, 'cli:store'))
})

test('messages that were typed without a network arrive in the order in which they were typed', async () => {
  const id = 'cli:store-order'
  const words = ['one', 'two', 'three', 'four', 'five', 'six']
  await using proxy = await TcpProxy.start(story.app.url)
  using page = openStore(id, new URL(proxy.through(story.app.url)).origin)
  await expect.poll(() => page.shown().status).toBe('absent')
  proxy.cut()
  const sent = words.map((word) => page.store.send(word))
  expect(page.shown().entries.map((entry) => entry.kind === 'person' && entry.content)).toEqual(words)
  proxy.restore()
  for (const result of await Promise.all(sent)) expect(result).toMatchObject({ __typename: 'SendMessagePayload' })
  const { entries } = await clientOf().session(id).history({ last: 100 })
  const typed = entries.map(({ content }) => content).filter((content) => words.includes(content))
  expect(typed).toEqual(words)
})

test('two pages of which one is cut off in the middle of an answer agree with the server at the end', async () => {
  const id = 'cli:store-cut'
  await using proxy = await TcpProxy.start(story.app.url)
  using cut = openStore(id, new URL(proxy.through(story.app.url)).origin)
  using other = openStore(id)
  await other.store.send(`run: for n in 1 2 3 4; do echo $n; sleep 0.1; done\n${'A long question. '.repeat(60)}`)
  await expect.poll(() => cut.shown().turn?.plan?.tasks[0]?.output).toContain('1')
  proxy.cut()
  await expect.poll(() => cut.shown().connection).toBe('offline')
  const sent = cut.store.send('second')
  await expect.poll(() => other.shown().isBusy).toBe(false)
  proxy.restore()
  await sent
  const finals = ({ entries }: SessionState): number =>
    entries.filter((entry) => entry.kind === 'agent' && entry.final).length
  for (const page of [cut, other]) {
    await expect.poll(() => finals(page.shown())).toBe(2)
    await expect.poll(() => page.shown().session?.status).toBe('IDLE')
    expect(said(page.shown())).toEqual(await saidOn(other.client, id))
    expect(page.shown().usage).toEqual((await other.client.session(id).view())?.usage)
  }
  expect(cut.shown().turns).toMatchObject(
    Object.fromEntries(Object.values(other.shown().turns).map((turn) => [turn.id, { status: turn.status }])),
  )
})

test('a question is answered by its turn; what waits is edited and withdrawn, what runs is cancelled or approved', async () => {
  const client = clientOf('ben')
  const session = client.session('@ben:asked')
  expect(await session.open({ description: 'Asked' })).toMatchObject({ created: true })
  expect(await session.ask('What is it?')).toMatchObject({
    __typename: 'Answered',
    answer: expect.stringContaining('What is it?'),
    turn: { status: 'DONE' },
  })
  expect(await session.ask(' ')).toMatchObject({ __typename: 'InvalidInputRefusal' })
  expect(await session.upload('notes.txt', 'a note')).toMatchObject({ __typename: 'Uploaded', size: 6 })
  expect(await session.files()).toMatchObject([{ name: 'notes.txt' }])

  await using ended = Object.assign(new AbortController(), { [Symbol.asyncDispose]: async () => {} })
  const asked = session.ask('wait: 60000', { signal: ended.signal })
  await expect.poll(async () => (await session.view())?.activeTurn?.turn.status).toBe('RUNNING')
  ended.abort(new Error('enough'))
  await expect(asked).rejects.toThrow('enough')
  const waiting = await session.send('one')
  const other = await session.send('two')
  if (waiting.__typename !== 'SendMessagePayload' || other.__typename !== 'SendMessagePayload')
    throw new Error('refused')
  expect(await session.edit(waiting.message.id, 'one, edited')).toMatchObject({ message: { content: 'one, edited' } })
  expect(await session.withdraw(other.message.id)).toMatchObject({ message: { status: 'CANCELLED' } })
  expect(await session.cancel()).toMatchObject({ __typename: 'CancelTurnPayload' })
  await expect.poll(async () => (await session.view())?.status).toBe('IDLE')
  const page = await session.history({ last: 2 })
  expect(page.before).not.toBeNull()
  expect((await session.history({ before: page.before })).entries.at(-1)?.seq).toBeLessThan(page.entries[0]?.seq ?? 0)
  expect(await session.fork({ newSessionId: '@ben:copy' })).toMatchObject({ created: true })
  client.close()
})

/** A client whose token cannot be had in these of its calls, counted from 1. */
function failingTokens(calls: readonly number[]): FactotumClient {
  let called = 0
  const token = async (): Promise<string> => {
    called += 1
    if (calls.includes(called)) throw new Error('the issuer of tokens is away')
    return tokenOf('ada')
  }
  return connect({ url: story.app.url, token })
}

test('a page whose token cannot be had at first becomes ready, and what was sent meanwhile arrives once', async () => {
  // The page and the message ask at the same time, so each of them fails at least once.
  const client = failingTokens([1, 2, 3, 4])
  const store = sessionStore(client, 'cli:store-token')
  const leave = store.subscribe(() => {})
  expect(await store.send('Are you there?')).toMatchObject({ __typename: 'SendMessagePayload' })
  await expect.poll(() => store.getSnapshot().entries.at(-1)).toMatchObject({ kind: 'agent', final: true })
  expect(store.getSnapshot().status).toBe('ready')
  const people = store.getSnapshot().entries.filter(({ kind }) => kind === 'person')
  expect(people).toMatchObject([{ content: 'Are you there?', sending: null }])
  leave()
  client.close()
})

test('a list whose token cannot be had becomes ready once it can', async () => {
  // First the socket, then twice what reads the list.
  const client = failingTokens([1, 3, 4])
  const list = client.sessions()
  const leave = list.subscribe(() => {})
  await expect.poll(() => list.getSnapshot()).toMatchObject({ status: 'ready', error: null })
  leave()
  client.close()
})

test('lists stay live, and end with a sentence where they may not be read', async () => {
  const client = clientOf()
  const sessions = client.sessions({ search: 'listed' })
  const approvals = client.approvals({ status: ['PENDING'] })
  const facts = clientOf('ben').facts()
  const leave = [sessions, approvals, facts].map((list) => list.subscribe(() => {}))
  await expect.poll(() => sessions.getSnapshot()).toMatchObject({ status: 'ready', items: [] })
  await client.openSession({ id: 'cli:listed', description: 'listed' })
  await expect.poll(() => sessions.getSnapshot().items).toMatchObject([{ id: 'cli:listed' }])
  expect(client.sessions({ search: 'listed' })).toBe(sessions)
  await client.session('cli:listed').send('run: echo it | tee it')
  await expect.poll(() => approvals.getSnapshot().items).toMatchObject([{ session: { id: 'cli:listed' } }])
  await client.session('cli:listed').deny(approvals.getSnapshot().items[0]?.id ?? '')
  await expect.poll(() => approvals.getSnapshot().items).toEqual([])
  await expect.poll(() => facts.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'FORBIDDEN' } })
  for (const stop of leave) stop()
  client.close()
})

test('a client that is closed while a list is read gives that up, and rejects nothing unhandled', async () => {
  const client = clientOf()
  const sessions = client.sessions()
  const asked = Promise.withResolvers<void>()
  const ask = globalThis.fetch
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    if (typeof init?.body === 'string' && init.body.includes('query ListSessions')) asked.resolve()
    return ask(url, init)
  })
  sessions.subscribe(() => {})
  await asked.promise
  client.close()
  spy.mockRestore()
  const other = clientOf()
  await other.session('cli:store-after').ask('Are you there?')
  expect(sessions.getSnapshot()).toMatchObject({ status: 'loading', error: null })
  other.close()
})

test('older entries are read page by page', async () => {
  const id = 'cli:store-long'
  const client = clientOf()
  for (let n = 0; n < 35; n += 1) await client.session(id).ask(`message ${n}`)
  using page = openStore(id)
  await expect.poll(() => page.shown().entries).toHaveLength(30)
  await page.store.loadOlder()
  await page.store.loadOlder()
  expect(page.shown().hasOlder).toBe(false)
  expect(said(page.shown())).toEqual(await saidOn(client, id))
  client.close()
})

test('a turn that ended while it was read on demand stays ended, whatever the late answer says', async () => {
  const id = 'cli:store-late'
  using other = openStore(id)
  await other.client.openSession({ id })
  await using proxy = await TcpProxy.start(story.app.url)
  using page = openStore(id, new URL(proxy.through(story.app.url)).origin)
  await expect.poll(() => page.shown().status).toBe('ready')
  proxy.cut()
  await expect.poll(() => page.shown().connection).toBe('offline')
  await other.store.send('wait: 60000')
  await expect.poll(() => other.shown().turn?.status).toBe('RUNNING')
  const turnId = other.shown().turn?.id ?? ''

  // Asked for before any event of it has come to the page.
  using answers = heldAnswers('query StoreTurn')
  proxy.restore()
  const loading = page.store.loadTurn(turnId)
  await answers.held
  await expect.poll(() => page.shown().turn?.status).toBe('RUNNING')
  await other.client.session(id).cancel()
  await expect.poll(() => page.shown().turn?.status).toBe('CANCELLED')
  answers.release()
  await loading
  expect(page.shown().turns[turnId]).toMatchObject({ status: 'CANCELLED' })
  expect(page.shown().turn).toBe(page.shown().turns[turnId])
})

test('what was erased while it was under way to the page is not shown', async () => {
  const id = 'discord:store-erased'
  const discord = story.as('discord')
  const source = { kind: 'discord', interactive: true, platform: 'Discord', type: 'GROUP' } as const
  await discord.run(OpenSessionDocument, { input: { id, source } })
  for (let n = 0; n < 35; n += 1)
    await discord.run(AppendMessageDocument, { input: { sessionId: id, user: 'Mallory', content: `Theodora ${n}` } })
  using page = openStore(id)
  await expect.poll(() => page.shown().entries).toHaveLength(30)
  using answers = heldAnswers('query StoreOlder')
  const loading = page.store.loadOlder()
  await answers.held
  await story.as('ada').run(EraseUserDocument, { input: { sessionId: id, user: 'Mallory' } })
  await expect.poll(() => said(page.shown()).join()).not.toContain('Theodora')
  answers.release()
  await loading
  expect(said(page.shown()).join()).not.toContain('Theodora')
  answers[Symbol.dispose]()
  await page.store.loadOlder()
  expect(said(page.shown())).toEqual(await saidOn(page.client, id))
})

/** A slow network: what the server answers to requests with this text has left it, and is under way until released. */
function heldAnswers(text: string) {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const ask = globalThis.fetch
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const response = await ask(url, init)
    if (typeof init?.body === 'string' && init.body.includes(text)) {
      const body = await response.text()
      held.resolve()
      await released.promise
      return new Response(body, response)
    }
    return response
  })
  return { held: held.promise, release: released.resolve, [Symbol.dispose]: () => spy.mockRestore() }
}

test('a token that is not let in is said so', async () => {
  const client = connect({ url: story.app.url, token: 'wrong' })
  const store = sessionStore(client, 'cli:store')
  const leave = store.subscribe(() => {})
  await expect.poll(() => store.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'UNAUTHENTICATED' } })
  expect(store.getSnapshot().error?.message).toBeTruthy()
  leave()
})
