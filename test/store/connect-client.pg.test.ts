/** What a person must change is said at once, and not waited for. */
import { expect, test } from 'vitest'
import { connectClient } from '../../src/store/connection/connect-client.ts'
import { createTestDatabase } from '../harness/database.ts'

test.each<[string, Partial<URL>, RegExp]>([
  ['a server without TLS', { search: 'sslmode=verify-full' }, /takes no encrypted.*sslmode out of DATABASE_URL/],
  ['a database that is not there', { pathname: '/no_such' }, /"no_such" does not exist.*createdb/],
  ['a password that is wrong', { password: 'wrong' }, /refuses the login.*Correct DATABASE_URL/],
])('%s', async (_what, change, message) => {
  await using place = await createTestDatabase()
  const { href } = Object.assign(new URL(place.url), change)
  await expect(connectClient(href, 'test')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(message),
  })
})
