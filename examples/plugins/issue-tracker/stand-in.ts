/**
 * A tracker of issues in memory, for trying the plugin: `TRACKER_TOKEN=… node stand-in.ts`. A request that is repeated
 * with its idempotency key makes nothing anew.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'

interface Issue {
  readonly id: number
  readonly title: string
  readonly text: string
  readonly open: boolean
}

interface Answer {
  readonly status: number
  readonly body: object
}

const MAX_BODY_BYTES = 64 * 1024

/** `issues` may be read and changed from outside. */
export function createTracker(token: string, issues: Issue[] = []): Server {
  const byKey = new Map<string, Issue>()
  return createServer((request, response) => {
    void answer(request, { token, issues, byKey }).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
}

interface Kept {
  readonly token: string
  readonly issues: Issue[]
  readonly byKey: Map<string, Issue>
}

async function answer(request: IncomingMessage, { token, issues, byKey }: Kept): Promise<Answer> {
  if (request.headers.authorization !== `Bearer ${token}`) return { status: 401, body: { error: 'no such key' } }
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const [, one] = /^\/issues\/(\d+)$/.exec(pathname) ?? []
  if (request.method === 'GET' && one !== undefined) {
    const found = issues.find(({ id }) => id === Number(one))
    return found === undefined
      ? { status: 404, body: { error: `there is no issue ${one}` } }
      : { status: 200, body: found }
  }
  if (pathname !== '/issues') return { status: 404, body: { error: 'there is nothing here' } }
  if (request.method === 'GET') {
    const words = (searchParams.get('words') ?? '').toLowerCase()
    const open = searchParams.get('open') !== 'false'
    const isFound = (each: Issue): boolean =>
      each.open === open && `${each.title} ${each.text}`.toLowerCase().includes(words)
    return { status: 200, body: issues.filter(isFound).toReversed() }
  }
  const key = String(request.headers['idempotency-key'] ?? '')
  const known = byKey.get(key)
  if (known !== undefined) return { status: 200, body: known }
  const { title, text } = JSON.parse(await readBody(request)) as Pick<Issue, 'title' | 'text'>
  const made = { id: issues.length + 1, title, text, open: true }
  issues.push(made)
  if (key !== '') byKey.set(key, made)
  return { status: 201, body: made }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > MAX_BODY_BYTES) return '{}'
  }
  return text
}

if (import.meta.main) {
  const port = Number(process.env['PORT'] ?? 4100)
  createTracker(process.env['TRACKER_TOKEN'] ?? '').listen(port, '127.0.0.1', () => {
    console.log(`The tracker answers on http://127.0.0.1:${port}/`)
  })
}
