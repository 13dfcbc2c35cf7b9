/**
 * `POST /agui`: the agent behind AG-UI, for pages such as CopilotKit's, with the same tokens and by the same rules as
 * GraphQL. A thread is a session, a run is the part of a turn that a page waits for. Nothing is kept between two runs.
 */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { readTrace } from '../../telemetry/trace-parent.ts'
import { GraphQLError } from 'graphql'
import { sendJson } from '../health/probes.ts'
import { badRequest } from '../http/bad-request.ts'
import type { Exchange } from '../http/plain-route.ts'
import { maskError } from '../operation/mask-error.ts'
import { REQUEST_ID } from '../plugins/http/use-request-id.ts'
import {
  admit,
  admitWaiting,
  countRequest,
  httpOf,
  type AdmitOptions,
  type IdentifiedCaller,
} from '../protocols/admit.ts'
import { decideAll } from '../protocols/decide.ts'
import { followTurn, wasTakenAlong } from '../protocols/follow-turn.ts'
import { Operations } from '../protocols/operations.ts'
import { ownSession, SESSION_HEADER } from '../protocols/own-session.ts'
import { accepted, Refused, statusOf } from '../protocols/refused.ts'
import { SEND_MESSAGE, type TurnData } from '../protocols/turn-documents.ts'
import { WaitingClient } from '../protocols/waiting-client.ts'
import type { Connections } from '../socket/connections.ts'
import type { DoorYoga } from '../yoga.ts'
import { READ_ACTIVE_TURN, READ_PLANS, type PlanData } from './documents.ts'
import { RunEvents, type RunEvent } from './run-events.ts'
import { readRunInput, type RunInput } from './run-input.ts'

export const AGUI_PATH = '/agui'

/** A page that is there longer for one run comes back. */
const MAX_RUN_MS = 3_600_000

export interface AguiEndpointOptions extends AdmitOptions {
  readonly yoga: DoorYoga
  readonly connections: Connections
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
}

interface Turn {
  readonly sessionId: string
  readonly id: string
  readonly messageId: string
  readonly after: number
  /** As it is now, of a turn that was decided about. */
  readonly plan: PlanData | null
}

export class AguiEndpoint {
  readonly #options: AguiEndpointOptions

  constructor(options: AguiEndpointOptions) {
    this.#options = options
  }

  /** Rejects with what is a bug. A client that leaves is no failure. */
  async handle({ request, response, url }: Exchange): Promise<void> {
    try {
      if (url.pathname !== AGUI_PATH) throw badRequest(`Nothing here; AG-UI is at ${AGUI_PATH}.`, 404)
      if (request.method !== 'POST') throw badRequest('Use POST.', 405, { allow: 'POST' })
      const { body, text: _text, ...known } = await admit(request, this.#options)
      await this.#run({ request, response }, { known, input: this.#read(body, known) })
    } catch (error) {
      if (response.headersSent || !(error instanceof GraphQLError || error instanceof Refused)) throw error
      if (!request.complete) response.setHeader('connection', 'close')
      refuse(response, error)
    }
  }

  /** A request that is refused runs no operation, and counts all the same. */
  #read(body: unknown, known: IdentifiedCaller): RunInput {
    try {
      admitWaiting(known, this.#options.connections)
      return readRunInput(body)
    } catch (error) {
      countRequest(known, this.#options)
      throw error
    }
  }

  async #run(
    { request, response }: Pick<Exchange, 'request' | 'response'>,
    { known, input }: { readonly known: IdentifiedCaller; readonly input: RunInput },
  ): Promise<void> {
    const { yoga, metrics, logger, clock, connections } = this.#options
    const requestId = String(response.getHeader(REQUEST_ID) ?? '')
    const { viewer } = known
    const trace = readTrace((name) => request.headers[name])
    const ofRequest = { requestId, logger: logger.child({ requestId }), trace }
    const caller = { viewer, transport: 'sse', ...ofRequest } as const
    const operations = new Operations({ yoga, metrics, request, caller, isFirstCounted: false })
    const sessionId = ownSession(viewer, input.threadId)
    using client = new WaitingClient({ response, known, connections, clock, timeoutMs: MAX_RUN_MS })
    const turns = await findTurns(operations, { input, sessionId })
    client.startStream({ [SESSION_HEADER]: sessionId })
    await this.#stream(client, { operations, input, turns })
    response.end()
  }

  async #stream(client: WaitingClient, { operations, input, turns }: Run): Promise<void> {
    const { threadId, runId, namesCancelled } = input
    const events = new RunEvents({ threadId, runId, namesCancelled, viewer: operations.caller.viewer }, input.shown)
    const write = (more: readonly RunEvent[]): Promise<void> =>
      client.write(more.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    await write(events.start(turns[0]?.plan ?? null))
    const { signal } = client
    let last: TurnData | null = null
    try {
      for (const { sessionId, id: turnId, messageId, after } of turns) {
        if (await wasTakenAlong(operations, turnId, last)) continue
        const followed = followTurn({ operations, sessionId, turnId, messageId, after, signal })
        let next = await followed.next()
        for (; next.done !== true; next = await followed.next()) await write(events.eventsOf(next.value))
        last = next.value
        if (last === null) return await write(events.fail('The turn goes on; run it again to see it.', 'run_left'))
      }
      await write(events.finish(last))
    } catch (error) {
      if (error instanceof Refused) return write(events.fail(error.message, error.code ?? 'refused'))
      const { message } = maskError(error, this.#options)
      await write(events.fail(message, 'server_error'))
    }
  }
}

interface Run {
  readonly operations: Operations
  readonly input: RunInput
  /** In their order; none: nothing runs, or the message starts no turn. */
  readonly turns: readonly Turn[]
}

/** Followed from its beginning. */
const BEGUN = { plan: null } as const

interface Wanted {
  readonly input: RunInput
  readonly sessionId: string
}

/**
 * The turns that a page waits for: that of what it has decided and that of its message, or the one that runs. The id of
 * a message is its idempotency key: a page that comes back with it goes on with its turn.
 */
async function findTurns(operations: Operations, { input, sessionId }: Wanted): Promise<Turn[]> {
  const { decisions, said } = input
  if (decisions.length > 0) return decideAndSay(operations, { input, sessionId })
  if (said !== null) return say(operations, { input, sessionId, said })
  const { session } = await operations.run(READ_ACTIVE_TURN, { id: sessionId })
  const active = session?.activeTurn ?? null
  return active === null
    ? []
    : [{ sessionId, id: active.id, messageId: active.message.id, after: active.firstSeq - 1, ...BEGUN }]
}

/**
 * A page must decide about all that waits before it says more, and does both at once: the last message is what the
 * decided turn began with, or a new one, which is sent. One that is said once more differs from it by its id.
 */
async function decideAndSay(operations: Operations, { input, sessionId }: Wanted): Promise<Turn[]> {
  const { decisions, said } = input
  const { last, after } = await decideAll(operations, decisions, { sessionId })
  const { turn, session } = last
  const isNew = said !== null && (said.isRepeated || said.text.trim() !== turn.message.content.trim())
  const next = isNew ? await say(operations, { input, sessionId, said }) : []
  const { turn: planned } = await operations.run(READ_PLANS, { id: turn.id })
  const plan = planned?.plans.at(-1) ?? null
  const decided = { sessionId: session.id, id: turn.id, messageId: turn.message.id, after, plan }
  return [decided, ...next.filter(({ id }) => id !== turn.id)]
}

async function say(
  operations: Operations,
  { input: { mode, user }, sessionId, said }: Wanted & { readonly said: NonNullable<RunInput['said']> },
): Promise<Turn[]> {
  const from = user === null || operations.caller.viewer.user !== null ? {} : { user }
  const input = {
    sessionId,
    content: said.text,
    idempotencyKey: `agui ${said.id}`,
    ...from,
    ...(mode === null ? {} : { mode }),
  }
  const { result } = await operations.run(SEND_MESSAGE, { input })
  if (result.reason === 'KEY_REUSED')
    throw new Refused(ofAnother(said.id), { code: result.code, reason: result.reason })
  const { id: messageId, turn } = accepted(result, result.message)
  return turn === null ? [] : [{ sessionId, id: turn.id, messageId, after: turn.firstSeq - 1, ...BEGUN }]
}

/** A page knows the ids that it gives, and no keys of ours. */
function ofAnother(id: string): string {
  return `messages: the id "${id}" is that of another message of this thread, which stands. Give the new one an id of its own.`
}

/** Pages send all that they show with each run. */
const SHORTER = 'Leave out older messages: the agent has them, and reads the last one alone.'

function refuse(response: ServerResponse, error: GraphQLError | Refused): void {
  if (error instanceof GraphQLError) {
    const { status, headers, code } = httpOf(error)
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    const message = status === 413 ? `${error.message} ${SHORTER}` : error.message
    return sendJson(response, status, { code, message })
  }
  const { code, message, retryAfterMs } = error
  if (retryAfterMs !== null) response.setHeader('retry-after', String(Math.ceil(retryAfterMs / 1000)))
  sendJson(response, statusOf(error), { code, message })
}
