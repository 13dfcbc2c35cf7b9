/** What a person must change is said at once, and not waited for. */
import { expect, test } from 'vitest'
import { connectClient } from '../../src/store/connection/connect-client.ts'
import { createTestDatabase } from '../harness/database.ts'

test.each([
  ['a server without TLS', 'sslmode', 'verify-full', /takes no encrypted connections.*sslmode out of DATABASE_URL/],
  ['a database that is not there', 'pathname', '/no_such', /"no_such" does not exist.*createdb/],
  ['a password that is wrong', 'password', 'wrong', /refuses the login.*Correct DATABASE_URL/],
] as const)('%s', async (_what, part, value, message) => {
  await using place = await createTestDatabase()
  const url = new URL(place.url)
  if (part === 'sslmode') url.searchParams.set(part, value)
  else url[part] = value
  await expect(connectClient(url.href, 'test')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(message),
  })
})
