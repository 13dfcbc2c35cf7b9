/** `GET /schema.graphql` and `/possibleTypes.json`: what frontends generate their types and caches from. */
import { createHash } from 'node:crypto'
import type { GraphQLSchema } from 'graphql'
import type { LiveConfig } from '../../config/config.ts'
import { sendJson } from '../health/probes.ts'
import { possibleTypes } from '../schema/possible-types.ts'
import { printedSchema } from '../schema/printed-schema.ts'
import type { Exchange, PlainRoute } from './plain-route.ts'

/** Given to everybody, as GraphiQL is, while the setting `introspection` is on. */
export function schemaRoutes(schema: GraphQLSchema, config: Pick<LiveConfig, 'current'>): readonly PlainRoute[] {
  const routeOf = (path: string, contentType: string, make: () => string): PlainRoute => {
    let file: File | null = null
    return {
      path,
      methods: 'GET, HEAD',
      answer: async (exchange) => {
        if (!config.current().settings.introspection)
          return sendJson(exchange.response, 404, {
            error: 'Introspection is switched off ("settings.introspection").',
          })
        file ??= fileOf(contentType, make())
        send(exchange, file)
      },
    }
  }
  return [
    routeOf('/schema.graphql', 'application/graphql; charset=utf-8', () => printedSchema(schema)),
    routeOf('/possibleTypes.json', 'application/json; charset=utf-8', () => possibleTypes(schema)),
  ]
}

interface File {
  readonly contentType: string
  readonly bytes: Buffer
  readonly etag: string
}

function fileOf(contentType: string, text: string): File {
  return { contentType, bytes: Buffer.from(text), etag: `"${createHash('sha256').update(text).digest('base64url')}"` }
}

function send({ request, response }: Exchange, { contentType, bytes, etag }: File): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return sendJson(response, 405, { error: 'It can be read, with GET or HEAD.' })
  }
  // Asked again each time, which costs an answer without a body: an upgrade shows at once.
  response.setHeader('cache-control', 'public, no-cache')
  response.setHeader('etag', etag)
  if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end()
  response.writeHead(200, { 'content-type': contentType, 'content-length': bytes.length })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}
