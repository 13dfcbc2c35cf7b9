/**
 * What frontends are made with, without a token: `GET /schema.graphql` and `/possibleTypes.json`, from which they
 * generate their types and caches, and `/client.tgz`, the client of this server's version, which `npm install` takes.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GraphQLSchema } from 'graphql'
import type { LiveConfig } from '../../config/config.ts'
import { hasCode } from '../../platform/error-code.ts'
import { builtFolder } from '../../platform/package-file.ts'
import { sendJson } from '../health/probes.ts'
import { possibleTypes } from '../schema/possible-types.ts'
import { printedSchema } from '../schema/printed-schema.ts'
import type { Exchange, PlainRoute } from './plain-route.ts'

export const CLIENT_PATH = '/client.tgz'

/** What is of the schema is given as GraphiQL is, while the setting `introspection` is on. */
export function frontendRoutes(schema: GraphQLSchema, config: Pick<LiveConfig, 'current'>): readonly PlainRoute[] {
  const whyNot = (): string | null =>
    config.current().settings.introspection ? null : 'Introspection is switched off ("settings.introspection").'
  const ofSchema = { whyNot, missing: 'There is no schema.' }
  return [
    routeOf('/schema.graphql', {
      ...ofSchema,
      contentType: 'application/graphql; charset=utf-8',
      read: async () => Buffer.from(printedSchema(schema)),
    }),
    routeOf('/possibleTypes.json', {
      ...ofSchema,
      contentType: 'application/json; charset=utf-8',
      read: async () => Buffer.from(possibleTypes(schema)),
    }),
    routeOf(CLIENT_PATH, {
      whyNot: () => null,
      missing: 'The client was not built with this server: "npm run generate" makes it.',
      contentType: 'application/gzip',
      read: readClient,
    }),
  ]
}

interface Source {
  readonly contentType: string
  /** Why it is not given; null: it is. */
  readonly whyNot: () => string | null
  /** Null: there is none. */
  readonly read: () => Promise<Buffer | null>
  readonly missing: string
}

interface File {
  readonly bytes: Buffer
  readonly etag: string
}

function routeOf(path: string, { contentType, whyNot, read, missing }: Source): PlainRoute {
  let file: File | null = null
  return {
    path,
    methods: 'GET, HEAD',
    answer: async (exchange) => {
      const refusal = whyNot()
      if (refusal !== null) return sendJson(exchange.response, 404, { error: refusal })
      file ??= fileOf(await read())
      if (file === null) return sendJson(exchange.response, 404, { error: missing })
      send(exchange, file, contentType)
    },
  }
}

function fileOf(bytes: Buffer | null): File | null {
  return bytes && { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

/** Made by scripts/build-client.ts. */
async function readClient(): Promise<Buffer | null> {
  try {
    return await readFile(join(builtFolder('client'), 'client.tgz'))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

function send({ request, response }: Exchange, { bytes, etag }: File, contentType: string): void {
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
