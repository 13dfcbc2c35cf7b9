/**
 * Many requests at one moment: over few connections, each with a number of them written one behind the other without
 * waiting for answers (HTTP pipelining), so that the client is not what limits them.
 */
import { connect } from 'node:net'

export interface PipelinedAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly afterMs: number
}

export interface PipelinedOptions {
  readonly url: string
  readonly token: string
  readonly connections: number
}

/**
 * POSTs all bodies. Resolves to their answers, in order; an answer that never came is missing at the end of its
 * connection: undefined.
 */
export async function postAtOnce(
  { url, token, connections }: PipelinedOptions,
  bodies: readonly unknown[],
): Promise<(PipelinedAnswer | undefined)[]> {
  const { hostname, port, host } = new URL(url)
  const answers: (PipelinedAnswer | undefined)[] = Array.from({ length: bodies.length })
  const perConnection = Math.ceil(bodies.length / connections)
  const startedMs = performance.now()
  const one = async (first: number): Promise<void> => {
    const indices = Array.from({ length: Math.min(perConnection, bodies.length - first) }, (_, n) => first + n)
    const requests = indices.map((index) => requestOf({ host, token }, JSON.stringify(bodies[index])))
    const socket = connect({ host: hostname, port: Number(port) })
    socket.write(requests.join(''))
    let rest = Buffer.alloc(0)
    try {
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        rest = Buffer.concat([rest, chunk])
        for (let read = readAnswer(rest); read !== null; read = readAnswer(rest)) {
          const index = indices.shift()
          if (index !== undefined) answers[index] = { ...read.answer, afterMs: performance.now() - startedMs }
          rest = rest.subarray(read.length)
        }
        if (indices.length === 0) break
      }
    } catch {
      // A connection that was cut: what it has not answered is missing.
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: connections }, (_, n) => one(n * perConnection)))
  return answers
}

function requestOf({ host, token }: { host: string; token: string }, body: string): string {
  const headers = [
    `host: ${host}`,
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    'accept: application/graphql-response+json',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return `POST /graphql HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`
}

function readAnswer(bytes: Buffer): { answer: Omit<PipelinedAnswer, 'afterMs'>; length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  const headers = new Map(pairs)
  // Node itself says that a request came too slowly (408), without a body: its length is then not said.
  const length = headEnd + 4 + Number(headers.get('content-length') ?? 0)
  if (bytes.length < length) return null
  const body = bytes.subarray(headEnd + 4, length).toString('utf8')
  return { answer: { status: Number(statusLine.split(' ')[1]), headers, body }, length }
}
