/** What the client makes of a function that gets no token. */
import { expect, test } from 'vitest'
import { ClientError, connect } from '../../packages/client/src/connect.ts'

/** Port 9 discards: nothing is asked there in these tests. */
const URL_OF_NONE = 'http://127.0.0.1:9'

/** What a call ends with whose token function throws this. */
async function endWith(thrown: unknown): Promise<unknown> {
  const client = connect({
    url: URL_OF_NONE,
    patienceMs: 1,
    token: () => {
      throw thrown
    },
  })
  const end = await client
    .session('web:x')
    .view()
    .catch((error: unknown) => error)
  client.close()
  return end
}

test('a token function that fails is as a server that gives no answer', async () => {
  const cause = new Error('the issuer is away')
  const end = await endWith(cause)
  expect(end).toBeInstanceOf(ClientError)
  expect(end).toMatchObject({ code: 'UNREACHABLE', isPassing: true, cause })
  expect(end).toHaveProperty('message', 'No token: the issuer is away')
})

test('a token function may end calls for good, with a ClientError of its own', async () => {
  const ended = new ClientError('UNAUTHENTICATED', 'You are signed out.')
  expect(await endWith(ended)).toBe(ended)
})
