/** Lists and sessions of a page that have failed: they become right again by themselves, and say nothing untrue. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ClientError, connect, sessionStore } from '../../packages/client/src/connect.ts'
import { Story, tokenOf } from '../harness/story.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story[Symbol.asyncDispose]())

/**
 * The answers to operations with this text: those of the server, or, while `instead` is set, of a proxy with that
 * status. `asked`: the variables of each.
 */
function answersTo(text: string) {
  const asked: unknown[] = []
  const answers = { asked, instead: null as number | null, [Symbol.dispose]: () => spy.mockRestore() }
  const ask = globalThis.fetch
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    if (typeof init?.body !== 'string' || !init.body.includes(text)) return ask(url, init)
    asked.push((JSON.parse(init.body) as { variables: unknown }).variables)
    return answers.instead === null
      ? ask(url, init)
      : Promise.resolve(new Response('not here', { status: answers.instead }))
  })
  return answers
}

/** Whose token is not the right one until it is said to be. */
function clientWithToken() {
  const token = { isRight: false }
  const client = connect({ url: story.app.url, token: () => (token.isRight ? tokenOf('ada') : 'wrong') })
  return { client, token, [Symbol.dispose]: () => client.close() }
}

test('a list that could not be read becomes ready by itself, and its error is the last one', async () => {
  using answers = answersTo('query ListSessions')
  answers.instead = 404
  const client = connect({ url: story.app.url, token: tokenOf('ada'), patienceMs: 1 })
  const list = client.sessions()
  const leave = list.subscribe(() => {})
  await expect.poll(() => list.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'BAD_RESPONSE' } })
  answers.instead = 502
  await expect.poll(() => list.getSnapshot().error?.message).toContain('502')
  expect(list.getSnapshot().error).toBeInstanceOf(ClientError)
  answers.instead = null
  await expect.poll(() => list.getSnapshot()).toMatchObject({ status: 'ready', error: null })
  leave()
  client.close()
})

test('a list that is refused for good is no longer read, and is live again once loadMore or a listener tries', async () => {
  using page = clientWithToken()
  const list = page.client.sessions({ search: 'refused' })
  const leave = list.subscribe(() => {})
  const refused = { status: 'failed', error: { code: 'UNAUTHENTICATED' } }
  await expect.poll(() => list.getSnapshot()).toMatchObject(refused)
  page.token.isRight = true
  list.loadMore()
  await expect.poll(() => list.getSnapshot()).toMatchObject({ status: 'ready', items: [] })
  await page.client.openSession({ id: 'cli:refused', description: 'refused' })
  await expect.poll(() => list.getSnapshot().items).toMatchObject([{ id: 'cli:refused' }])
  leave()

  using other = clientWithToken()
  const again = other.client.sessions({ search: 'refused' })
  again.subscribe(() => {})
  await expect.poll(() => again.getSnapshot()).toMatchObject(refused)
  other.token.isRight = true
  again.subscribe(() => {})
  await expect.poll(() => again.getSnapshot()).toMatchObject({ status: 'ready', items: [{ id: 'cli:refused' }] })
})

test('loadMore of a list that has no more asks for nothing; of one that has, again after a failure', async () => {
  using answers = answersTo('query ListSessions')
  const client = connect({ url: story.app.url, token: tokenOf('ada'), patienceMs: 1 })
  const list = client.sessions({ search: 'more' })
  const leave = list.subscribe(() => {})
  await expect.poll(() => list.getSnapshot()).toMatchObject({ status: 'ready', hasMore: false })
  list.loadMore()
  for (let n = 0; n < 51; n += 1) await client.openSession({ id: `cli:more-${n}`, description: 'more' })
  await expect.poll(() => list.getSnapshot()).toMatchObject({ hasMore: true })
  expect(list.getSnapshot().items).toHaveLength(50)
  expect(new Set(answers.asked.map((variables) => JSON.stringify(variables))).size).toBe(1)

  answers.instead = 404
  list.loadMore()
  await expect.poll(() => list.getSnapshot()).toMatchObject({ status: 'failed', items: { length: 50 } })
  answers.instead = null
  list.loadMore()
  await expect.poll(() => list.getSnapshot()).toMatchObject({ status: 'ready', hasMore: false })
  expect(list.getSnapshot().items).toHaveLength(51)
  leave()
  client.close()
})

test('a session that could not be read becomes ready by itself, and goes on from there', async () => {
  using answers = answersTo('query StorePage')
  answers.instead = 404
  const client = connect({ url: story.app.url, token: tokenOf('ada') })
  const store = sessionStore(client, 'cli:unread')
  const leave = store.subscribe(() => {})
  await expect.poll(() => store.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'BAD_RESPONSE' } })
  answers.instead = null
  await expect.poll(() => store.getSnapshot()).toMatchObject({ status: 'absent', error: null })
  await store.send('Are you there?')
  await expect.poll(() => store.getSnapshot().entries.at(-1)).toMatchObject({ kind: 'agent', final: true })
  leave()
  client.close()
})

test('a session that was refused for good is read again when another component shows it', async () => {
  using page = clientWithToken()
  const store = sessionStore(page.client, 'cli:refused')
  store.subscribe(() => {})
  await expect.poll(() => store.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'UNAUTHENTICATED' } })
  page.token.isRight = true
  store.subscribe(() => {})
  await expect.poll(() => store.getSnapshot()).toMatchObject({ status: 'ready', error: null })
})

test('a session that was refused for good is read again when it takes a message of the page', async () => {
  const client = connect({ url: story.app.url, token: tokenOf('ada') })
  const store = sessionStore(client, 'cli:deleted')
  store.subscribe(() => {})
  await store.send('Before')
  await expect.poll(() => store.getSnapshot()).toMatchObject({ status: 'ready', isBusy: false })
  const input = { id: 'cli:deleted' }
  await story
    .as('ada')
    .run('mutation ($input: DeleteSessionInput!) { deleteSession(input: $input) { __typename } }', { input })
  await expect.poll(() => store.getSnapshot()).toMatchObject({ status: 'failed', error: { code: 'NOT_FOUND' } })
  expect(await store.send('After')).toMatchObject({ __typename: 'SendMessagePayload' })
  await expect
    .poll(() => store.getSnapshot())
    .toMatchObject({
      status: 'ready',
      entries: [
        { content: 'After', sending: null },
        { kind: 'agent', final: true },
      ],
    })
  client.close()
})
