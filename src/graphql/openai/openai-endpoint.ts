/**
 * `/v1`: the agent behind OpenAI's API, for clients that know no other, with the same tokens and by the same rules as
 * GraphQL. Nothing is kept between two requests: what was answered is read from the log.
 */
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { readTrace } from '../../telemetry/trace-parent.ts'
import { sendJson } from '../health/probes.ts'
import { badRequest } from '../http/bad-request.ts'
import type { Exchange } from '../http/plain-route.ts'
import { maskError } from '../operation/mask-error.ts'
import { REQUEST_ID } from '../plugins/http/use-request-id.ts'
import {
  admit,
  admitCaller,
  admitWaiting,
  countRequest,
  passOver,
  type AdmitOptions,
  type IdentifiedCaller,
} from '../protocols/admit.ts'
import { Operations } from '../protocols/operations.ts'
import { SESSION_HEADER } from '../protocols/own-session.ts'
import type { TurnData } from '../protocols/turn-documents.ts'
import { WaitingClient } from '../protocols/waiting-client.ts'
import type { Connections } from '../socket/connections.ts'
import type { DoorYoga } from '../yoga.ts'
import type { Answer, AnswerHead } from './answer.ts'
import { startTurn, narrateTurn, type Started } from './answer-turn.ts'
import { MAX_TIMEOUT_S, type Ask } from './ask.ts'
import { ChatAnswer } from './chat-answer.ts'
import { readChatRequest } from './chat-request.ts'
import { listModels, unknownModel } from './models.ts'
import type { Piece } from './narrate.ts'
import { invalid, ofWaitEnd, OpenAIError, toOpenAIError, TurnBroken } from './openai-error.ts'
import {
  cancelGiven,
  inputItems,
  readGiven,
  readGivenPath,
  stopTurn,
  type GivenPath,
} from './responses/given-response.ts'
import { ResponsesAnswer } from './responses/responses-answer.ts'
import { readResponsesRequest } from './responses/responses-request.ts'
import { isSettled, readTurn } from '../protocols/follow-turn.ts'

export const OPENAI_PATH = '/v1/'

export interface OpenAIEndpointOptions extends AdmitOptions {
  readonly yoga: DoorYoga
  readonly connections: Connections
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
}

/** One of the endpoints that ask the agent. */
interface Form {
  readonly read: (body: unknown, headers: IncomingMessage['headers']) => Ask
  readonly create: (head: AnswerHead, ask: Ask) => Answer
}

const FORMS: Readonly<Record<string, Form>> = {
  '/v1/chat/completions': {
    read: readChatRequest,
    create: (head, { includeUsage }) => new ChatAnswer(head, includeUsage),
  },
  '/v1/responses': { read: readResponsesRequest, create: (head) => new ResponsesAnswer(head) },
}

const MODELS_PATH = '/v1/models'
/** For who asks for another. */
const PATHS =
  'There are /v1/chat/completions, /v1/responses with /<id>, /<id>/cancel and /<id>/input_items, and /v1/models. ' +
  'Files go into a session with PUT /files/<session>/<name>, its id as x-factotum-session says it; a conversation is ' +
  'a session, which "conversation" names.'
const KEPT =
  'A response is part of the log of its session, and is not deleted alone. Delete the session: deleteSession in GraphQL.'

export class OpenAIEndpoint {
  readonly #options: OpenAIEndpointOptions

  constructor(options: OpenAIEndpointOptions) {
    this.#options = options
  }

  /** Rejects with what is a bug. A client that leaves is no failure. */
  async handle(exchange: Exchange): Promise<void> {
    const { request, response, url } = exchange
    try {
      const form = Object.hasOwn(FORMS, url.pathname) ? FORMS[url.pathname] : undefined
      if (form !== undefined) return await this.#ask(exchange, form)
      if (url.pathname === MODELS_PATH || url.pathname.startsWith(`${MODELS_PATH}/`))
        return await this.#showModels(exchange)
      const given = readGivenPath(url.pathname)
      if (given !== null) return await this.#answerGiven(exchange, given)
      countRequest(admitCaller(request, this.#options), this.#options)
      await passOver(request)
      throw new OpenAIError(`There is no ${url.pathname} here. ${PATHS}`, { status: 404, code: 'not_found' })
    } catch (error) {
      const failure = toOpenAIError(error)
      if (failure === null || response.headersSent) throw error
      for (const [name, value] of Object.entries(failure.headers)) response.setHeader(name, value)
      if (!request.complete) response.setHeader('connection', 'close')
      sendJson(response, failure.status, failure.body)
    }
  }

  async #showModels({ request, response, url }: Exchange): Promise<void> {
    if (request.method !== 'GET') throw badRequest('Use GET.', 405, { allow: 'GET' })
    const known = admitCaller(request, this.#options)
    const models = await listModels(this.#operations({ request, response }, known))
    if (url.pathname === MODELS_PATH) return sendJson(response, 200, { object: 'list', data: models })
    const name = decoded(url.pathname.slice(MODELS_PATH.length + 1))
    const model = models.find(({ id }) => id === name)
    if (model === undefined) throw unknownModel(name)
    sendJson(response, 200, model)
  }

  async #ask(exchange: Exchange, form: Form): Promise<void> {
    const { request, response } = exchange
    const { clock, connections } = this.#options
    if (request.method !== 'POST') throw badRequest('Use POST.', 405, { allow: 'POST' })
    const { body, text: _text, ...known } = await admit(request, this.#options)
    const ask = this.#counted(known, () => {
      admitWaiting(known, connections)
      return form.read(body, request.headers)
    })
    const operations = this.#operations(exchange, known)
    using client = new WaitingClient({ response, known, connections, clock, timeoutMs: ask.timeoutMs })
    const started = await startTurn(operations, ask, clock)
    response.setHeader(SESSION_HEADER, started.sessionId)
    const head: AnswerHead = {
      id: started.id,
      sessionId: started.sessionId,
      model: ask.model,
      createdAt: Math.floor(clock.now().getTime() / 1000),
      instructions: ask.instructions,
      background: ask.background,
    }
    const isRepeatable = ask.idempotencyKey !== null
    const work = { operations, started, client, isRepeatable, answer: form.create(head, ask) }
    if (ask.background && !ask.stream) {
      const alone = { ...started, missed: [], kept: [] }
      return await this.#showNow(exchange, { ...work, started: alone, answer: new ResponsesAnswer(head) })
    }
    await (ask.stream ? this.#stream(exchange, work) : this.#whole(exchange, work))
    if (client.endedBy === 'LEFT' && ask.cancelsOnLeave && started.turn !== null)
      await stopTurn(operations, await readTurn(operations, started.turn.id))
  }

  /** One response that was given before, or is being worked on. */
  async #answerGiven(exchange: Exchange, { ownerId, part }: GivenPath): Promise<void> {
    const { request, response, url } = exchange
    const { clock, connections } = this.#options
    const method = part === 'cancel' ? 'POST' : 'GET'
    if (request.method === 'DELETE' && part === null) throw badRequest(KEPT, 405, { allow: method })
    if (request.method !== method) throw badRequest(`Use ${method}.`, 405, { allow: method })
    const known = admitCaller(request, this.#options)
    const isStream = part === null && url.searchParams.get('stream') === 'true'
    this.#counted(known, () => {
      if (isStream) admitWaiting(known, connections)
      if (!url.searchParams.has('starting_after')) return
      throw invalid('starting_after: leave it out, a response is streamed from its beginning.', 'starting_after')
    })
    const operations = this.#operations(exchange, known)
    const given = await readGiven(operations, ownerId)
    response.setHeader(SESSION_HEADER, given.head.sessionId)
    if (part === 'input_items') return sendJson(response, 200, inputItems(given))
    using client = new WaitingClient({ response, known, connections, clock, timeoutMs: MAX_TIMEOUT_S * 1000 })
    const { head, started } = given
    const work = { operations, started, client, isRepeatable: true, answer: new ResponsesAnswer(head) }
    if (isStream) return await this.#stream(exchange, work)
    if (part === 'cancel') await cancelGiven(operations, started, client.signal)
    await this.#showNow(exchange, work)
  }

  /** As it is now: one from which more is to come is not waited for. */
  async #showNow({ response }: Exchange, work: Given): Promise<void> {
    const { operations, started, answer } = work
    const now = started.turn === null ? null : await readTurn(operations, started.turn.id)
    if (now !== null && !isSettled(now)) return sendJson(response, 200, answer.standing(now))
    try {
      await this.#whole({ response }, work)
    } catch (error) {
      if (!(error instanceof TurnBroken)) throw error
      sendJson(response, 200, answer.broken(error))
    }
  }

  /** A request that is refused runs no operation, and counts all the same. */
  #counted<Read>(known: IdentifiedCaller, read: () => Read): Read {
    try {
      return read()
    } catch (error) {
      countRequest(known, this.#options)
      throw error
    }
  }

  async #whole(
    { response }: Pick<Exchange, 'response'>,
    { operations, started, client, answer, isRepeatable }: Work,
  ): Promise<void> {
    const turn = await this.#narrate({ operations, started, client }, (piece) => void answer.add(piece))
    if (client.endedBy === 'LEFT') return
    if (turn === GONE) throw ofWaitEnd(client.endedBy, isRepeatable)
    sendJson(response, 200, answer.whole(turn))
  }

  async #stream(
    { response }: Pick<Exchange, 'response'>,
    { operations, started, client, answer, isRepeatable }: Work,
  ): Promise<void> {
    client.startStream({})
    await client.write(answer.begin())
    try {
      const turn = await this.#narrate({ operations, started, client }, (piece) => client.write(answer.add(piece)))
      if (turn === GONE) throw ofWaitEnd(client.endedBy, isRepeatable)
      await client.write(answer.end(turn))
    } catch (error) {
      await client.write(answer.fail(toOpenAIError(error) ?? this.#masked(error)))
    }
    response.end()
  }

  /** Rejects when the turn ends without an answer. */
  async #narrate(
    { operations, started, client }: Omit<Work, 'answer' | 'isRepeatable'>,
    onPiece: (piece: Piece) => Promise<void> | void,
  ): Promise<TurnData | null | typeof GONE> {
    const { turn } = started
    if (turn === null) return null
    const pieces = narrateTurn(operations, { ...started, turn }, client.signal)
    for (let next = await pieces.next(); ; next = await pieces.next()) {
      if (next.done === true) {
        return next.value ?? GONE
      }
      await onPiece(next.value)
    }
  }

  #operations({ request, response }: Pick<Exchange, 'request' | 'response'>, { viewer }: IdentifiedCaller): Operations {
    const { yoga, metrics, logger } = this.#options
    const requestId = String(response.getHeader(REQUEST_ID) ?? '')
    const trace = readTrace((name) => request.headers[name])
    const ofRequest = { requestId, logger: logger.child({ requestId }), trace }
    const caller = { viewer, transport: 'http', ...ofRequest } as const
    return new Operations({ yoga, metrics, request, caller, isFirstCounted: false })
  }

  #masked(error: unknown): OpenAIError {
    const { message } = maskError(error, { logger: this.#options.logger, metrics: this.#options.metrics })
    return new OpenAIError(message, { status: 500, code: 'server_error' })
  }
}

/** Clients encode the name of a model in different ways, or not at all. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** The client waits for the end of the turn no more. */
const GONE = 'GONE'

interface Work {
  /** Sent again, the request waits for the same turn. */
  readonly isRepeatable: boolean
  readonly operations: Operations
  readonly started: Started
  readonly client: WaitingClient
  readonly answer: Answer
}

interface Given extends Work {
  readonly answer: ResponsesAnswer
}
