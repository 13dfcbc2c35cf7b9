/** Servers of tools over HTTP that are hostile, or away: each has its defined end. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { describe, test, type TestContext } from 'vitest'
import { lastingPort } from '../harness/lasting-port.ts'
import { PATIENCE } from '../harness/patience.ts'
import { callTool, McpWorld } from './mcp-world.ts'

type Answer = (asked: Asked, response: ServerResponse, request: IncomingMessage) => void

interface Asked {
  readonly id?: number
  readonly method?: string
}

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'h', version: '1' },
}
const TOOLS = { tools: [{ name: 'ok', inputSchema: { type: 'object' } }] }
const OK = { content: [{ type: 'text', text: 'ok' }] }

function result({ id }: Asked, response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: value }))
}

/** What an honest one answers. */
const honest: Answer = (asked, response) => {
  if (asked.method === 'initialize') return result(asked, response, INITIALIZED)
  if (asked.method === 'tools/list') return result(asked, response, TOOLS)
  if (asked.method === 'tools/call') return result(asked, response, OK)
  response.writeHead(asked.id === undefined ? 202 : 404).end()
}

async function listen(context: TestContext, answer: Answer, port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end()
      return answer(JSON.parse(body || '{}') as Asked, response, request)
    })
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  context.onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, port: (server.address() as { port: number }).port }
}

function at(port: number, lines = 'allow_private = true'): string {
  return `[mcp.http]\nurl = "http://127.0.0.1:${port}/mcp"\n${lines}\n`
}

describe('over HTTP', { concurrent: true }, () => {
  test('the secret goes where it belongs, and an address inside is not asked', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    const seen: (string | undefined)[] = []
    const { port } = await listen(context, (asked, response, request) => {
      seen.push(request.headers.authorization)
      honest(asked, response, request)
    })
    world.secrets.set('HTTP_KEY', 'secret-of-http')
    world.configure(at(port, 'allow_private = true\nbearer = "HTTP_KEY"'))
    expect(await world.call('http__ok')).toMatchObject({ kind: 'done', text: 'ok' })
    expect(new Set(seen)).toEqual(new Set(['Bearer secret-of-http']))
    seen.length = 0
    world.configure('[mcp.http]\nurl = "https://127.0.0.1:8443/mcp"')
    await expect.poll(() => world.problem('http')).toContain('is not there')
    world.addresses.set('tools.example.org', '10.1.2.3')
    world.configure('[mcp.named]\nurl = "https://tools.example.org/mcp"')
    await expect.poll(() => world.problem('named')).toContain('is not there')
    expect(world.problem('named')).toContain('unless an admin puts "tools.example.org" into webhook_allow_list')
    expect(seen).toEqual([])
  })

  test('where a call stands in a trace goes along as a header', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    const seen: unknown[] = []
    const { port } = await listen(context, (asked, response, request) => {
      if (asked.method === 'tools/call') seen.push(request.headers['traceparent'])
      honest(asked, response, request)
    })
    world.configure(at(port))
    await world.call('http__ok')
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    world.traceHeaders = { traceparent }
    await world.call('http__ok')
    expect(seen).toEqual([undefined, traceparent])
  })

  test('a redirect is not followed, neither at the start nor for a call', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    let inside = 0
    const target = await listen(context, (asked, response, request) => {
      inside += 1
      honest(asked, response, request)
    })
    const away: Answer = (_asked, response) =>
      void response.writeHead(307, { location: `http://127.0.0.1:${target.port}/mcp` }).end()
    const first = await listen(context, away)
    world.configure(at(first.port))
    await expect.poll(() => world.problem('http')).toContain('is not there')
    const later = await listen(context, (asked, response, request) =>
      (asked.method === 'tools/call' ? away : honest)(asked, response, request),
    )
    world.configure(at(later.port))
    expect(await world.call('http__ok')).toMatchObject({ kind: 'unknown' })
    expect(inside).toBe(0)
  })

  test('answers: refused, failed, broken off, without end, none at all', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    let how: Answer = honest
    const { port } = await listen(context, (asked, response, request) =>
      (asked.method === 'tools/call' ? how : honest)(asked, response, request),
    )
    world.configure(at(port))
    const tool = await world.tool('http__ok')
    const status =
      (code: number): Answer =>
      (_asked, response) =>
        void response.writeHead(code).end('no')
    how = status(403)
    expect(await callTool(tool)).toMatchObject({ kind: 'failed', text: 'The server refused the call (HTTP 403).' })
    how = status(500)
    expect(await callTool(tool)).toMatchObject({ kind: 'unknown' })
    how = (_asked, response) => void response.destroy()
    expect(await callTool(tool)).toMatchObject({ kind: 'unknown' })
    how = (_asked, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"half":')
    expect(await callTool(tool)).toMatchObject({ kind: 'unknown' })
    how = (_asked, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
    expect(await callTool(tool)).toMatchObject({ kind: 'unknown' })
    for (const type of ['application/json', 'text/event-stream']) {
      let written = 0
      how = (_asked, response) => {
        response.writeHead(200, { 'content-type': type })
        response.write('data: "')
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(100_000))) written += 100_000
          if (!response.destroyed) response.once('drain', more)
        }
        more()
      }
      expect(await callTool(tool, { timeoutMs: 2000 })).toMatchObject({ kind: 'unknown' })
      expect(written).toBeLessThan(40_000_000)
    }
    how = () => undefined
    expect(await callTool(tool, { timeoutMs: 300 })).toMatchObject({ kind: 'unknown' })
    how = honest
    expect(await world.call('http__ok')).toMatchObject({ kind: 'done' })
  })

  test('answers that never end do not keep later calls from the server', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    let how: Answer = (_asked, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write('\n')
    const { port } = await listen(context, (asked, response, request) =>
      (asked.method === 'tools/call' ? how : honest)(asked, response, request),
    )
    world.configure(at(port, 'allow_private = true\ntimeout = 1'))
    const tool = await world.tool('http__ok')
    const ended = await Promise.all(Array.from({ length: 20 }, () => callTool(tool)))
    expect(new Set(ended.map(({ kind }) => kind))).toEqual(new Set(['unknown']))
    how = honest
    await expect.poll(async () => (await callTool(tool)).kind, PATIENCE).toBe('done')
    expect(world.problem('http')).toBeNull()
  })

  test('one that goes away and comes back', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    const { server, port } = await listen(context, honest, Number(await lastingPort()))
    world.configure(at(port))
    const tool = await world.tool('http__ok')
    server.closeAllConnections()
    server.close()
    expect(await callTool(tool)).toMatchObject({ kind: 'failed', text: expect.stringContaining('cannot be reached') })
    await expect.poll(() => world.tools('http')).toEqual([])
    expect(world.problem('http')).toMatch(/was lost|is not there/)
    await listen(context, honest, port)
    expect(await world.call('http__ok')).toMatchObject({ kind: 'done' })
    expect(world.problem('http')).toBeNull()
  })
})
