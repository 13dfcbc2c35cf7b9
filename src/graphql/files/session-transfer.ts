/**
 * `GET /sessions/<id>/export` and `POST /sessions/import`: a session as JSON Lines (src/transfer) over HTTP, for
 * admins, as `factotum session` does it for who has the database at hand.
 *
 * What must hold: memory does not grow with the session; a transaction lasts no longer than its deadline, and one that
 * writes never waits for a client; the token is judged again when the body has come.
 */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { AccessDenials } from '../../audit/access-denials.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import type { Viewer } from '../../core/identity.ts'
import { isSessionId, SESSION_ID_RULE } from '../../core/session/session-id.ts'
import type { Doorbell } from '../../events/doorbell.ts'
import type { Uploads } from '../../execution/workspace/uploads.ts'
import type { StagedFile } from '../../intake/intake-context.ts'
import type { Clock } from '../../platform/clock.ts'
import { hasCode } from '../../platform/error-code.ts'
import { idKind } from '../../platform/id.ts'
import { appendAudit } from '../../store/audit-entries.ts'
import type { Database } from '../../store/database.ts'
import { exportSession, withEnds } from '../../transfer/export-session.ts'
import { importSession } from '../../transfer/import-session.ts'
import { readLines } from '../../transfer/read-lines.ts'
import { inTransferTransaction } from '../../transfer/transfer-transaction.ts'
import { sendJson } from '../health/probes.ts'
import type { Exchange } from '../http/plain-route.ts'
import type { CredentialOf } from '../login/credential.ts'
import type { Authenticate } from '../socket/connections.ts'
import { contentDisposition } from './content-disposition.ts'
import { refuse, refuseForNow, refuseStranger } from './refuse.ts'

export const SESSIONS_PATH = '/sessions/'
export const IMPORT_PATH = '/sessions/import'
/** Larger ones are for `factotum session import`, on the machine. */
export const MAX_IMPORT_BYTES = 512 * 1024 * 1024
/** A body that takes longer is broken off, as by the server's limit for requests; so are its storing and an export. */
const DEADLINE_MS = 300_000
/** In this process; each takes a connection to the database that is not of the pool. */
const MAX_AT_A_TIME = 2
const RETRY_AFTER_S = '5'

export interface SessionTransferOptions {
  readonly database: Database
  readonly doorbell: Pick<Doorbell, 'ring'>
  readonly uploads: Pick<Uploads, 'stage' | 'discard'>
  readonly authenticate: Authenticate
  readonly credentialOf: CredentialOf
  readonly denials: Pick<AccessDenials, 'forbidden'>
  readonly clock: Clock
  /** Milliseconds to wait before this token may do more; 0: it may now. */
  readonly takeRate: (tokenName: string) => number
}

type Target = { readonly do: 'EXPORT'; readonly sessionId: string } | { readonly do: 'IMPORT' }

export class SessionTransfers {
  readonly #options: SessionTransferOptions
  #running = 0

  constructor(options: SessionTransferOptions) {
    this.#options = options
  }

  /** Rejects when the database or the disk fails; a client that leaves is no failure. */
  async handle(exchange: Exchange): Promise<void> {
    const { request, response, url } = exchange
    const target = readTarget(url)
    if (target === null) return refuse(exchange, 404, { code: 'NOT_FOUND', problem: WHAT_THERE_IS })
    const method = target.do === 'EXPORT' ? 'GET' : 'POST'
    if (request.method !== method) {
      response.setHeader('allow', method)
      return refuse(exchange, 405, { code: 'BAD_REQUEST', problem: WHAT_THERE_IS })
    }
    const viewer = this.#admin(exchange)
    if (viewer === null) return
    const waitMs = this.#options.takeRate(viewer.tokenName)
    if (waitMs > 0) return refuseForNow(exchange, 429, String(Math.ceil(waitMs / 1000)))
    if (this.#running >= MAX_AT_A_TIME) return refuseForNow(exchange, 503, RETRY_AFTER_S)
    this.#running += 1
    try {
      if (target.do === 'EXPORT') await this.#export(exchange, viewer, target.sessionId)
      else await this.#import(exchange)
    } finally {
      this.#running -= 1
    }
  }

  /** Null: the caller is none; that has been answered. */
  #admin(exchange: Exchange): Viewer | null {
    const { authenticate, credentialOf, denials } = this.#options
    const credential = credentialOf(exchange.request)
    const viewer = credential === null ? null : authenticate(credential)
    if (viewer?.role === 'ADMIN') return viewer
    if (viewer === null) {
      refuseStranger(exchange)
    } else {
      denials.forbidden(viewer, `${exchange.request.method} ${SESSIONS_PATH}`)
      refuse(exchange, 403, { code: 'FORBIDDEN', problem: 'Sessions are exported and imported by admins.' })
    }
    return null
  }

  async #export(exchange: Exchange, viewer: Viewer, sessionId: string): Promise<void> {
    const { database, clock } = this.#options
    const at = clock.now()
    const cancel = clock.after(DEADLINE_MS, () => exchange.response.destroy())
    try {
      await inTransferTransaction({ databaseUrl: database.url }, 'EXPORT', async (client) => {
        const lines = withEnds(exportSession({ client, sessionId, at }))
        const first = await lines.next()
        // Before anything is given away.
        await this.#auditExport(viewer, sessionId, at)
        await sendLines(exchange, { sessionId, first: String(first.value), lines })
      })
    } catch (error) {
      if (exchange.response.headersSent || !isRefused(error)) throw error
      refuse(exchange, 404, { code: 'NOT_FOUND', problem: messageOf(error) })
    } finally {
      cancel()
    }
  }

  #auditExport({ user, tokenName }: Viewer, sessionId: string, at: Date): Promise<void> {
    const body = { kind: 'SESSION', change: 'EXPORTED', detail: null } as const
    const entry = { at, sessionId, turnId: null, actor: user?.name ?? null, tokenName, body }
    return appendAudit(this.#options.database, [entry])
  }

  async #import(exchange: Exchange): Promise<void> {
    const as = exchange.url.searchParams.get('as')
    if (as !== null && (!isSessionId(as) || idKind(as) !== null)) {
      const problem = `"as" must be an id for the session, such as "web:copy": it ${SESSION_ID_RULE}.`
      return refuse(exchange, 400, { code: 'INVALID_INPUT', problem })
    }
    const { headers } = exchange.request
    if (Number(headers['content-length'] ?? 0) > MAX_IMPORT_BYTES) return refuse(exchange, 413, TOO_LARGE)
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
      const problem = 'Send the lines as they are, without content-encoding.'
      return refuse(exchange, 415, { code: 'BAD_REQUEST', problem })
    }
    const staged = await this.#stage(exchange)
    if (staged === 'BROKEN') return void exchange.response.destroy()
    if (staged === null) return refuse(exchange, 413, TOO_LARGE)
    try {
      await this.#store(exchange, staged, as)
    } finally {
      await this.#options.uploads.discard(staged)
    }
  }

  /**
   * Onto the disk first: what is inserted is locked until it is committed, and no message to that session may
   * have to wait for a slow client. BROKEN: the client left, or was too slow.
   */
  async #stage({ request }: Exchange): Promise<StagedFile | null | 'BROKEN'> {
    const abort = new AbortController()
    const cancel = this.#options.clock.after(DEADLINE_MS, () => abort.abort())
    try {
      return await this.#options.uploads.stage(request, abort.signal, MAX_IMPORT_BYTES)
    } catch (error) {
      if (!abort.signal.aborted && request.complete) throw error
      return 'BROKEN'
    } finally {
      cancel()
    }
  }

  async #store(exchange: Exchange, staged: StagedFile, as: string | null): Promise<void> {
    const { database, doorbell, clock } = this.#options
    const viewer = this.#admin(exchange)
    if (viewer === null) return
    const by = { userName: viewer.user?.name ?? null, tokenName: viewer.tokenName }
    const deadline = new AbortController()
    const cancel = clock.after(DEADLINE_MS, () => deadline.abort(TOO_SLOW))
    try {
      const transaction = { databaseUrl: database.url, signal: deadline.signal }
      const report = await whileSilent(exchange, () =>
        inTransferTransaction(transaction, 'IMPORT', async (client) => {
          await using bytes = createReadStream(staged.path)
          return await importSession({ client, lines: readLines(bytes), as, at: clock.now(), by, otherId: '?as=<id>' })
        }),
      )
      doorbell.ring({ kind: 'log', sessionId: report.sessionId, seq: report.lastSeq, list: true })
      sendJson(exchange.response, 201, report)
    } catch (error) {
      if (error === TOO_SLOW) return refuse(exchange, 413, { code: 'LIMIT_EXCEEDED', problem: TOO_SLOW.message })
      if (!isRefused(error)) throw error
      const isTaken = hasCode(error.cause, '23505')
      const [status, code] = isTaken ? [409, 'CONFLICT'] : [400, 'TRANSFER_REFUSED']
      refuse(exchange, status, { code, problem: error.message })
    } finally {
      cancel()
    }
  }
}

/** Nothing moves on the connection until it is done: it counts as idle before and after alone. */
async function whileSilent<Result>({ request: { socket } }: Exchange, work: () => Promise<Result>): Promise<Result> {
  const idleMs = socket.timeout ?? 0
  socket.setTimeout(0)
  try {
    return await work()
  } finally {
    socket.setTimeout(idleMs)
  }
}

const WHAT_THERE_IS = `There is GET ${SESSIONS_PATH}<id>/export, with the id URL-encoded, and POST ${IMPORT_PATH}.`

const TOO_LARGE = {
  code: 'LIMIT_EXCEEDED',
  problem: `Over HTTP a session may have ${MAX_IMPORT_BYTES / 1024 / 1024} MiB. Import it with "factotum session import".`,
}

const TOO_SLOW = new AppError(
  'CANCELLED',
  `The import took longer than ${DEADLINE_MS / 60_000} minutes, so nothing was stored. ` +
    'Import it with "factotum session import".',
)

function readTarget(url: URL): Target | null {
  if (url.pathname === IMPORT_PATH) return { do: 'IMPORT' }
  const [id = '', what, ...more] = url.pathname.slice(SESSIONS_PATH.length).split('/')
  if (what !== 'export' || more.length > 0) return null
  try {
    const sessionId = decodeURIComponent(id)
    return isSessionId(sessionId) ? { do: 'EXPORT', sessionId } : null
  } catch {
    return null // no valid URL encoding
  }
}

interface Lines {
  readonly sessionId: string
  readonly first: string
  /** The others. */
  readonly lines: AsyncIterable<string>
}

/** The last line says how many there were, so that a file that was cut off is noticed. */
async function sendLines({ response }: Exchange, { sessionId, first, lines }: Lines): Promise<void> {
  response.writeHead(200, {
    'content-type': 'application/jsonl; charset=utf-8',
    'content-disposition': contentDisposition('attachment', `${sessionId.replaceAll(/[/:]/g, '-')}.jsonl`),
    'cache-control': 'no-store',
  })
  response.write(first)
  // A client that leaves, or the deadline, ends it: no failure of the transaction.
  await pipeline(lines, response).catch((error: unknown) => {
    if (!hasCode(error, ...LEAVING)) throw error
  })
}

function isRefused(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'TRANSFER_REFUSED'
}

const LEAVING = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE']
