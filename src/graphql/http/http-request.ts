/**
 * Reads a GraphQL request off HTTP (https://graphql.github.io/graphql-over-http/draft/): parameters from a POST body
 * or, for queries, from the URL. One operation per request: no batches, no uploads. What is wrong is said with the
 * status to answer.
 */
import type { IncomingMessage } from 'node:http'
import { GraphQLError } from 'graphql'
import type { OperationParams } from '../operation/documents.ts'

export const MAX_BODY_BYTES = 1024 * 1024

/** An answer other than a result. */
export class HttpRefusal {
  readonly status: number
  readonly errors: readonly GraphQLError[]
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, errors: readonly GraphQLError[], headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.errors = errors
    this.headers = headers
  }
}

export function badRequest(message: string, status = 400, headers: Readonly<Record<string, string>> = {}): HttpRefusal {
  return new HttpRefusal(status, [new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } })], headers)
}

export async function readParams(request: IncomingMessage, url: URL): Promise<OperationParams | HttpRefusal> {
  if (request.method === 'GET') return readUrl(url)
  const problem = checkContent(request)
  if (problem !== null) return problem
  const body = await readBody(request)
  if (body instanceof HttpRefusal) return body
  const parsed = parseJson(body)
  if (parsed === undefined) return badRequest('The body is not valid JSON.')
  if (Array.isArray(parsed)) return badRequest('Send one operation per request, not a list of them.')
  return isObject(parsed) ? toParams(parsed) : badRequest('The body must be a JSON object with "query".')
}

function readUrl(url: URL): OperationParams | HttpRefusal {
  const json = (name: string): unknown => {
    const text = url.searchParams.get(name)
    // Text that is not JSON is no object either: it is refused as such.
    return text === null || text === '' ? undefined : (parseJson(text) ?? text)
  }
  return toParams({
    query: url.searchParams.get('query') ?? undefined,
    operationName: url.searchParams.get('operationName') ?? undefined,
    variables: json('variables'),
    extensions: json('extensions'),
  })
}

/** JSON only: a form or plain text could be sent by any website without asking (CSRF). */
function checkContent(request: IncomingMessage): HttpRefusal | null {
  const [mediaType, ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='))
  if (mediaType?.trim() !== 'application/json')
    return badRequest('Send the operation as "content-type: application/json".', 415)
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return badRequest('Send JSON as UTF-8.', 415)
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return badRequest('Send the body uncompressed.', 415)
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return tooLarge()
  return null
}

/** The rest of a body that is too large is not read: the connection is closed after the answer. */
function tooLarge(): HttpRefusal {
  return badRequest(`The body is larger than ${MAX_BODY_BYTES} bytes.`, 413, { connection: 'close' })
}

function readBody(request: IncomingMessage): Promise<string | HttpRefusal> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BODY_BYTES) {
        request.pause()
        request.removeAllListeners('data')
        return resolve(tooLarge())
      }
      chunks.push(chunk)
    })
    request.on('end', () => resolve(decode(chunks)))
    const onClose = (): void => {
      if (!request.complete) resolve(badRequest('The request was broken off.'))
    }
    request.on('error', onClose)
    request.on('close', onClose)
  })
}

function decode(chunks: readonly Buffer[]): string | HttpRefusal {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
  } catch {
    return badRequest('The body is not valid UTF-8.')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Also what a WebSocket's `subscribe` message carries. */
export function toParams(input: Readonly<Record<string, unknown>>): OperationParams | HttpRefusal {
  const { query, operationName = null, variables = null, extensions = null } = input
  if (typeof query !== 'string' || query === '')
    return badRequest('"query" must be a string that holds a GraphQL document.')
  if (operationName !== null && typeof operationName !== 'string')
    return badRequest('"operationName" must be a string.')
  if (variables !== null && !isObject(variables)) return badRequest('"variables" must be an object.')
  if (extensions !== null && !isObject(extensions)) return badRequest('"extensions" must be an object.')
  return { query, operationName: operationName === '' ? null : operationName, variables: variables ?? {} }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
