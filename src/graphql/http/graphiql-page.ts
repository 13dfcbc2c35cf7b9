/**
 * The GraphiQL page, and the script and style sheet that it loads (src/graphiql, made by scripts/build-graphiql.ts).
 * They are named by their content, so browsers ask for each of them once.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { LiveConfig } from '../../config/config.ts'
import { hasCode } from '../../platform/error-code.ts'
import { builtFolder } from '../../platform/package-file.ts'
import { chooseEncoding } from '../console/choose-encoding.ts'
import { sendJson } from '../health/probes.ts'
import type { Exchange, PlainRoute } from './plain-route.ts'

export const GRAPHIQL_PATH = '/graphiql/'

const FILE = /^app-[0-9a-f]{16}\.(js|css)$/
const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' }
const KEPT_FOR_GOOD = 'public, max-age=31536000, immutable'

const folder = builtFolder('graphiql')

/** Rejects where it was not made. */
export function renderGraphiqlPage(): Promise<string> {
  return readFile(join(folder, 'index.html'), 'utf8')
}

/** To everybody, as the page itself: there is nothing of anybody's in it. */
export function graphiqlRoute(config: Pick<LiveConfig, 'current'>): PlainRoute {
  return {
    path: GRAPHIQL_PATH,
    methods: 'GET, HEAD',
    answer: async ({ request, response, url }) => {
      const name = url.pathname.slice(GRAPHIQL_PATH.length)
      const ending = FILE.exec(name)?.[1]
      const isOn = config.current().settings.graphiql && (request.method === 'GET' || request.method === 'HEAD')
      const file = ending === undefined || !isOn ? null : await read(name, request.headers['accept-encoding'])
      if (file === null) return sendJson(response, 404, { error: 'There is no such file.' })
      send({ request, response, url }, file, TYPES[ending as keyof typeof TYPES])
    },
  }
}

interface Encoded {
  readonly bytes: Buffer
  /** Null: as it is. */
  readonly encoding: 'br' | 'gzip' | null
}

/** Null: there is none; another process may be of another version. */
async function read(name: string, accepted = ''): Promise<Encoded | null> {
  try {
    const chosen = chooseEncoding(accepted)
    if (chosen === 'br') return { bytes: await readFile(join(folder, `${name}.br`)), encoding: 'br' }
    const zipped = await readFile(join(folder, `${name}.gz`))
    if (chosen === 'gzip') return { bytes: zipped, encoding: 'gzip' }
    return { bytes: await promisify(gunzip)(zipped), encoding: null }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

function send({ request, response }: Exchange, { bytes, encoding }: Encoded, contentType: string): void {
  response.setHeader('cache-control', KEPT_FOR_GOOD)
  response.setHeader('vary', 'accept-encoding')
  if (encoding !== null) response.setHeader('content-encoding', encoding)
  response.writeHead(200, { 'content-type': contentType, 'content-length': bytes.length })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}
