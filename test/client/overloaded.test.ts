/**
 * What the client makes of a server that is too busy to let an operation in. The other side is as the server's answers
 * are, on the wire.
 */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { connect } from '../../packages/client/src/connect.ts'

const RETRY_AFTER_MS = 300

test('what was refused as OVERLOADED is sent again when the server said, also what is otherwise sent once', async () => {
  const cameAt: number[] = []
  const server = createServer((request, response) => {
    request.resume()
    cameAt.push(performance.now())
    const isBusy = cameAt.length % 3 !== 0
    const extensions = { code: 'OVERLOADED', retryAfterMs: RETRY_AFTER_MS }
    const decideApproval = { __typename: 'DecideApprovalPayload' }
    const body = isBusy ? { errors: [{ message: 'busy', extensions }] } : { data: { decideApproval } }
    response.writeHead(isBusy ? 503 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const client = connect({ url: `http://127.0.0.1:${port}`, token: 't' })
    expect(await client.session('web:x').approve('appr_1')).toEqual({ __typename: 'DecideApprovalPayload' })
    const [first = 0, second = 0, third = 0] = cameAt
    expect(cameAt).toHaveLength(3)
    expect(second - first).toBeGreaterThanOrEqual(RETRY_AFTER_MS - 5)
    expect(third - second).toBeGreaterThanOrEqual(RETRY_AFTER_MS - 5)

    const impatient = connect({ url: `http://127.0.0.1:${port}`, token: 't', patienceMs: 1 })
    await expect(impatient.session('web:x').approve('appr_1')).rejects.toMatchObject({
      code: 'OVERLOADED',
      retryAfterMs: RETRY_AFTER_MS,
    })
    client.close()
    impatient.close()
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
