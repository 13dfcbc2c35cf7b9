/** What the client makes of an upload that is answered with neither a stored file nor a refusal. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { connect } from '../../packages/client/src/connect.ts'

test.each([
  [
    "the server's error",
    'INTERNAL_SERVER_ERROR',
    { errors: [{ message: 'Broken.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
  ],
  ['the JSON of a proxy', 'UNREACHABLE', { error: 'upstream is away' }],
  ['errors of another shape', 'BAD_RESPONSE', { errors: 'upstream is away' }],
  ['the limit of a proxy', 'LIMIT_EXCEEDED', { error: 'Request Entity Too Large' }],
])('an upload that is answered with %s fails: %s', async (_what, code, body) => {
  const server = createServer((request, response) => {
    request.resume()
    response
      .writeHead(code === 'LIMIT_EXCEEDED' ? 413 : 500, { 'content-type': 'application/json' })
      .end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({ url: `http://127.0.0.1:${port}`, token: 't' })
  try {
    await expect(client.session('web:x').upload('a.txt', 'a')).rejects.toMatchObject({
      name: 'ClientError',
      code,
    })
  } finally {
    client.close()
    server.close()
    server.closeAllConnections()
  }
})
