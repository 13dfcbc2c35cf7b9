/**
 * What the console is made of (console/, built by scripts/build-console.ts): one page, which is asked for again each
 * time at the cost of an answer without a body, and files that are named by their content, which browsers keep for
 * good. To everybody: there is nothing of anybody's in them.
 *
 * What must hold: nothing that is no file of the build can be named; the page runs no script and no style but those of
 * this server, is framed by nobody, and talks to nobody else.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gunzip, gzip } from 'node:zlib'
import type { LiveConfig } from '../../config/config.ts'
import { hasCode } from '../../platform/error-code.ts'
import { consoleFolder } from '../../platform/package-file.ts'
import { sendJson } from '../health/probes.ts'
import { chooseEncoding, type Encoding } from './choose-encoding.ts'
import type { Exchange, PlainRoute } from '../http/plain-route.ts'

export const ASSETS_PATH = '/assets/'

const NAME = /^[\w.-]{1,200}$/
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.woff2', 'font/woff2'],
])
const KEPT_FOR_GOOD = 'public, max-age=31536000, immutable'

/** Pictures of files that a person sends are shown from memory. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types factotum-markdown',
].join('; ')

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
  // Asked again each time: an upgrade shows at once.
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
}

interface ConsolePage {
  readonly etag: string
  readonly bytes: Readonly<Record<Encoding, Buffer>>
}

/** The page of the build that lies there; made when it is first asked for. */
export class ConsoleFiles {
  readonly #config: Pick<LiveConfig, 'current'>
  readonly #folder: string
  #page: Promise<ConsolePage | null> | null = null
  /** Of the build's files as they lie there, which are few and small; a name says what is in it. */
  readonly #packed = new Map<string, Buffer>()

  constructor(config: Pick<LiveConfig, 'current'>, folder = consoleFolder()) {
    this.#config = config
    this.#folder = folder
  }

  /** Whether the request was for the page, and there is one; then it is answered. */
  async answerPage({ request, response, url }: Exchange): Promise<boolean> {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (url.pathname !== '/' || !isRead || !this.#isOn) return false
    this.#page ??= readPage(join(this.#folder, 'index.html'))
    const page = await this.#page
    if (page === null) {
      this.#page = null
      return false
    }
    for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value)
    response.setHeader('etag', page.etag)
    if (request.headers['if-none-match'] === page.etag) {
      response.writeHead(304).end()
      return true
    }
    send({ request, response, url }, page.bytes, chooseEncoding(request.headers['accept-encoding']))
    return true
  }

  /** Scripts, style sheets and pictures. */
  get route(): PlainRoute {
    return {
      path: ASSETS_PATH,
      methods: 'GET, HEAD',
      answer: async (exchange) => {
        const { request, response, url } = exchange
        const name = url.pathname.slice(ASSETS_PATH.length)
        const type = NAME.test(name) && this.#isOn ? TYPES.get(extname(name)) : undefined
        const isRead = request.method === 'GET' || request.method === 'HEAD'
        const encoding = chooseEncoding(request.headers['accept-encoding'])
        const bytes = type === undefined || !isRead ? null : await this.#read(name, encoding)
        if (type === undefined || bytes === null) return sendJson(response, 404, { error: 'There is no such file.' })
        response.setHeader('content-type', type)
        response.setHeader('cache-control', KEPT_FOR_GOOD)
        response.setHeader('vary', 'accept-encoding')
        send(exchange, { [encoding]: bytes }, encoding)
      },
    }
  }

  get #isOn(): boolean {
    return this.#config.current().settings.console
  }

  /** Null: there is none; another process may be of another version. */
  async #read(name: string, encoding: Encoding): Promise<Buffer | null> {
    try {
      if (encoding === 'br') return await this.#readPacked(`${name}.br`)
      const zipped = await this.#readPacked(`${name}.gz`)
      return encoding === 'gzip' ? zipped : await promisify(gunzip)(zipped)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null
      throw error
    }
  }

  async #readPacked(name: string): Promise<Buffer> {
    const kept = this.#packed.get(name)
    if (kept !== undefined) return kept
    const bytes = await readFile(join(this.#folder, 'assets', name))
    this.#packed.set(name, bytes)
    return bytes
  }
}

/** Null: the console was not built. */
async function readPage(path: string): Promise<ConsolePage | null> {
  try {
    const identity = await readFile(path)
    const [br, zipped] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)])
    const etag = `"${createHash('sha256').update(identity).update(POLICY).digest('base64url')}"`
    return { etag, bytes: { identity, br, gzip: zipped } }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

function send(
  { request, response }: Exchange,
  forms: Readonly<Partial<Record<Encoding, Buffer>>>,
  encoding: Encoding,
): void {
  const bytes = forms[encoding] ?? Buffer.alloc(0)
  if (encoding !== 'identity') response.setHeader('content-encoding', encoding)
  response.writeHead(200, { 'content-length': bytes.length })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}
