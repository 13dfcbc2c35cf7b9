/**
 * The least that a page can be which shows something that it asked a server for: one document, one script in it, one
 * call. What a browser takes for it on this machine, now, is what the console's times are compared with.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const PAGE = `<!doctype html><html lang="en"><title>Bare</title><body><script type="module">
const rows = await (await fetch('rows', { method: 'POST' })).json()
document.body.innerHTML = rows.map((row) => '<p class="row">' + row + '</p>').join('')
</script></body></html>`
const ROWS = JSON.stringify(Array.from({ length: 30 }, (_, index) => `Row ${index}`))

export const BARE_ROW = '.row'

export interface BarePage extends AsyncDisposable {
  readonly url: string
}

export async function serveBarePage(): Promise<BarePage> {
  const server = createServer(({ method }, response) => {
    response.setHeader('content-type', method === 'POST' ? 'application/json' : 'text/html; charset=utf-8')
    response.end(method === 'POST' ? ROWS : PAGE)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
