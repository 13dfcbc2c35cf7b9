/**
 * `PUT /files/<session>/<name>`: a file into `uploads/` of a session's workspace. The body is the file; whatever its
 * `content-type` says, nothing here reads it. Sending it again replaces it.
 *
 * What must hold: memory does not grow with the file; what is refused is refused before the body is read where it can
 * be; the token is judged again when the body has come.
 */
import type { IncomingMessage } from 'node:http'
import type { Credential, Viewer } from '../../core/identity.ts'
import type { Refusal } from '../../core/refusal.ts'
import { MAX_UPLOAD_BYTES } from '../../core/file/uploaded-file.ts'
import type { Uploads } from '../../execution/workspace/uploads.ts'
import { expectFile, receiveFile, type FileReceived, type FileTarget } from '../../intake/file/receive-file.ts'
import type { IntakeContext, StagedFile } from '../../intake/intake-context.ts'
import { reasonOf } from '../../platform/error-code.ts'
import type { Logger } from '../../platform/logger.ts'
import type { CredentialOf } from '../login/credential.ts'
import { Holdings } from '../operation/holdings.ts'
import type { Authenticate } from '../socket/connections.ts'
import { sendJson } from '../health/probes.ts'
import type { Exchange } from '../http/plain-route.ts'
import { refuse, refuseForNow, refuseStranger, type Problem } from './refuse.ts'

export const UPLOADS_PATH = '/files/'
/** A body that takes longer is broken off: 25 MiB at 0.7 Mbit/s. */
export const UPLOAD_DEADLINE_MS = 300_000
/** Bodies that come in at the same time, in this process. */
const MAX_AT_A_TIME = 50
/** Of them from one user, or one connector: who sends slowly keeps no others out. */
const MAX_OF_ONE = 20
const RETRY_AFTER_S = '2'

export interface ReceiveFileOptions {
  readonly intake: IntakeContext
  readonly uploads: Pick<Uploads, 'stage' | 'discard'>
  readonly authenticate: Authenticate
  readonly credentialOf: CredentialOf
  readonly logger: Logger
  /** Milliseconds to wait before this token may do more; 0: it may now. */
  readonly takeRate: (tokenName: string) => number
}

const STATUS: Readonly<Record<Refusal['kind'], readonly [status: number, code: string]>> = {
  InvalidInput: [400, 'INVALID_INPUT'],
  NotFound: [404, 'NOT_FOUND'],
  Conflict: [409, 'CONFLICT'],
  LimitExceeded: [413, 'LIMIT_EXCEEDED'],
}

/** A body that has come. */
interface Come {
  readonly credential: Credential
  readonly target: FileTarget
  readonly staged: StagedFile
  /** It is what opens its session. */
  readonly isFirst: boolean
}

export class FileReceiver {
  readonly #options: ReceiveFileOptions
  /** Whose bodies come in. */
  readonly #running = new Holdings()

  constructor(options: ReceiveFileOptions) {
    this.#options = options
  }

  /** Rejects when the database or the disk fails; a client that leaves is no failure. */
  async handle(exchange: Exchange): Promise<void> {
    const { request, response, url } = exchange
    const { authenticate, credentialOf, takeRate } = this.#options
    if (request.method !== 'PUT') {
      response.setHeader('allow', 'PUT')
      return refuse(exchange, 405, { code: 'BAD_REQUEST', problem: 'Send a file with PUT.' })
    }
    const credential = credentialOf(request)
    const viewer = credential === null ? null : authenticate(credential)
    if (credential === null || viewer === null) return refuseStranger(exchange)
    const target = readTarget(url)
    if (target === null) {
      const problem = `Send it to ${UPLOADS_PATH}<session>/<name>, both URL-encoded.`
      return refuse(exchange, 404, { code: 'NOT_FOUND', problem })
    }
    const waitMs = takeRate(viewer.tokenName)
    if (waitMs > 0) return refuseForNow(exchange, 429, String(Math.ceil(waitMs / 1000)))
    const problem = bodyProblem(request)
    if (problem !== null) return refuse(exchange, problem.status, problem)
    const isTooMany = this.#running.count >= MAX_AT_A_TIME || this.#running.of(viewer) >= MAX_OF_ONE
    if (isTooMany) return refuseForNow(exchange, 503, RETRY_AFTER_S)
    const release = this.#running.take(viewer)
    try {
      await this.#receive(exchange, { credential, viewer, target })
    } finally {
      release()
    }
  }

  async #receive(
    exchange: Exchange,
    { credential, viewer, target }: Pick<Come, 'credential' | 'target'> & { readonly viewer: Viewer },
  ): Promise<void> {
    const { intake } = this.#options
    const expected = await expectFile(intake, viewer, target)
    if (expected.kind !== 'Expected') return refuseAs(exchange, expected)
    const staged = await this.#stage(exchange)
    if (staged === 'BROKEN') return void exchange.response.destroy()
    if (staged === null) return refuse(exchange, 413, tooLarge())
    const outcome = await this.#storeAndDiscard({ credential, target, staged, isFirst: expected.isFirst })
    if (outcome === 'STRANGER') return refuseStranger(exchange)
    if (outcome.kind !== 'Received') return refuseAs(exchange, outcome)
    const { id, name, size, contentType, replaced } = outcome
    sendJson(exchange.response, replaced ? 200 : 201, { id, name, size, contentType })
  }

  async #storeAndDiscard(come: Come): Promise<FileReceived | Refusal | 'STRANGER'> {
    try {
      return await this.#store(come)
    } finally {
      await this.#options.uploads.discard(come.staged)
    }
  }

  /**
   * Asks once more: a body takes as long as its sender likes, and the token may be gone or have other rights by now.
   */
  async #store({ credential, target, staged, isFirst }: Come): Promise<FileReceived | Refusal | 'STRANGER'> {
    const { intake, authenticate } = this.#options
    const viewer = authenticate(credential)
    if (viewer === null) return 'STRANGER'
    const expected = await expectFile(intake, viewer, target)
    if (expected.kind !== 'Expected') return expected
    return receiveFile(intake, { expected, staged, opener: isFirst ? viewer : null })
  }

  /** BROKEN: the client left, or was too slow. */
  async #stage({ request }: Exchange): Promise<Awaited<ReturnType<Uploads['stage']>> | 'BROKEN'> {
    const abort = new AbortController()
    const cancel = this.#options.intake.clock.after(UPLOAD_DEADLINE_MS, () => abort.abort())
    try {
      return await this.#options.uploads.stage(request, abort.signal)
    } catch (error) {
      if (!abort.signal.aborted && request.complete) throw error
      this.#options.logger.debug({ error: reasonOf(error) }, 'an upload was broken off')
      return 'BROKEN'
    } finally {
      cancel()
    }
  }
}

/** Null: the address is no session's file. */
function readTarget(url: URL): FileTarget | null {
  const [session, name, ...more] = url.pathname.slice(UPLOADS_PATH.length).split('/')
  if (session === undefined || name === undefined || more.length > 0) return null
  try {
    return {
      sessionId: decodeURIComponent(session),
      name: decodeURIComponent(name),
      user: url.searchParams.get('user'),
    }
  } catch {
    return null // no valid URL encoding
  }
}

function bodyProblem({ headers }: IncomingMessage): (Problem & { readonly status: number }) | null {
  if (Number(headers['content-length'] ?? 0) > MAX_UPLOAD_BYTES) return { status: 413, ...tooLarge() }
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return null
  return { status: 415, code: 'BAD_REQUEST', problem: 'Send the file as it is, without content-encoding.' }
}

function tooLarge(): Problem {
  return { code: 'LIMIT_EXCEEDED', problem: `A file may have ${MAX_UPLOAD_BYTES / 1024 / 1024} MiB.` }
}

function refuseAs(exchange: Exchange, refusal: Refusal): void {
  const [status, code] = STATUS[refusal.kind]
  refuse(exchange, status, { code, problem: refusal.message })
}
