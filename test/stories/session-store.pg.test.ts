/** A session as a page shows it by the client's SessionStore: always what the server says of it, whatever happens between. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, sessionStore, type SessionState } from '../../packages/client/src/connect.ts'
import { Story, tokenOf } from '../harness/story.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story[Symbol.asyncDispose]())

function openStore(id: string) {
  const client = connect({ url: story.app.url, token: tokenOf('ada') })
  const store = sessionStore(client, id)
  const states: SessionState[] = []
  const leave = store.subscribe(() => states.push(store.getSnapshot()))
  const close = (): void => {
    leave()
    client.close()
  }
  return Object.assign(store, { states, [Symbol.dispose]: close })
}

test('a message opens the session, is shown once at any moment, and its turn is shown as it goes', async () => {
  using store = openStore('cli:store')
  await expect.poll(() => store.getSnapshot().status).toBe('absent')
  await store.send('run: echo hello')
  await expect.poll(() => store.getSnapshot().entries.at(-1)).toMatchObject({ kind: 'agent', final: true })
  await expect
    .poll(() => store.getSnapshot().turn)
    .toMatchObject({ status: 'DONE', plan: { tasks: [{ output: 'hello\n' }, {}] } })
  const shown = store.states.map(({ entries }) => entries.flatMap(({ kind, key }) => (kind === 'person' ? key : [])))
  const fromFirst = shown.slice(shown.findIndex((keys) => keys.length > 0))
  expect(fromFirst).toEqual(fromFirst.map(() => fromFirst[0]))
  expect(fromFirst[0]).toHaveLength(1)
})
