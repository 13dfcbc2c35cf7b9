/**
 * What an HTTP request must be, beyond what yoga checks: JSON only, since a form or plain text could be sent by
 * any website without asking (CSRF); uncompressed; one operation; and an answer that the client can take, before
 * anything has happened.
 */
import { GraphQLError } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { acceptedOf, EVENT_STREAM, PLAIN_JSON, RESPONSE_JSON } from '../../http/accepted.ts'
import { badRequest, MAX_BODY_BYTES, tooLarge } from '../../http/bad-request.ts'
import { jsonResponse } from '../../http/json-response.ts'
import type { DoorPlugin } from '../../operation/caller.ts'

export function useRequestForm(): DoorPlugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser, endResponse, fetchAPI }) {
      if (request.method !== 'GET' && request.method !== 'POST') {
        throw badRequest('Use GET or POST.', 405, { allow: 'GET, POST' })
      }
      const accepted = acceptedOf(request.headers.get('accept'))
      if (!accepted.json && !accepted.events) {
        const error = badRequest(`Accept ${RESPONSE_JSON}, ${PLAIN_JSON} or ${EVENT_STREAM}.`)
        return endResponse(jsonResponse(fetchAPI, { status: 406, errors: [withoutHttp(error)] }))
      }
      if (request.method === 'POST') checkContent(request.headers)
      if (requestParser !== undefined) setRequestParser(async (read) => readParams(() => requestParser(bounded(read))))
      return undefined
    },
    onParams({ params, setParams }) {
      const name: unknown = params.operationName ?? ''
      if (typeof name !== 'string') throw badRequest('"operationName" must be a string.')
      // Tools send an empty name for "none".
      if (name === '') setParams(withoutName(params))
    },
  }
}

function withoutName({ operationName: _none, ...params }: GraphQLParams): GraphQLParams {
  return params
}

/** Without what is only for HTTP. */
export function withoutHttp(error: GraphQLError): object {
  const { extensions = {}, ...shown } = error.toJSON()
  const { http: _http, ...rest } = extensions
  return { ...shown, extensions: rest }
}

type Parsed = GraphQLParams | GraphQLParams[] | Response

/** Yoga's own error for text that is not JSON quotes all of it. */
async function readParams(read: () => Parsed | PromiseLike<Parsed>): Promise<Parsed> {
  try {
    const params = await read()
    if (Array.isArray(params)) throw badRequest('Send one operation per request, not a list of them.')
    return params
  } catch (error) {
    const isUnreadable = error instanceof SyntaxError || isInvalidJson(error)
    throw isUnreadable ? badRequest('The body, or a parameter of the URL, is not valid JSON.') : error
  }
}

/**
 * HTTP holds to the length that a request states; only a body that states none is counted. Yoga's own limit pipes every
 * body through a stream, which is a third of what a small request costs.
 */
function bounded(request: Request): Request {
  if (request.method === 'GET' || request.headers.has('content-length')) return request
  return Object.create(request, { json: { value: () => readJson(request) } }) as Request
}

async function readJson(request: Request): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Not `for await`: leaving it early would destroy the connection before it has the answer.
  const iterator = request.body?.[Symbol.asyncIterator]()
  for (let next = await iterator?.next(); next?.done === false; next = await iterator?.next()) {
    bytes += next.value.byteLength
    if (bytes > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(next.value)
  }
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown
}

function isInvalidJson(error: unknown): boolean {
  return error instanceof GraphQLError && error.extensions['originalError'] !== undefined
}

function checkContent(headers: Headers): void {
  const [mediaType, ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='))
  if (mediaType?.trim() !== PLAIN_JSON) throw badRequest(`Send the operation as "content-type: ${PLAIN_JSON}".`, 415)
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) throw badRequest('Send JSON as UTF-8.', 415)
  if (Number(headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity') throw badRequest('Send the body uncompressed.', 415)
}
