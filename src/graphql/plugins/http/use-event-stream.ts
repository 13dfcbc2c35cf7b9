/**
 * Subscriptions over HTTP are server-sent events (event-stream.ts), written so that a client that does not keep up is
 * cut. What is refused before it begins is answered in JSON, with a status.
 */
import { GraphQLError } from 'graphql'
import { isAsyncIterable, processRegularResult } from 'graphql-yoga'
import type { Metrics } from '../../../platform/metrics.ts'
import { must } from '../../../platform/must.ts'
import { acceptedOf, EVENT_STREAM, RESPONSE_JSON } from '../../http/accepted.ts'
import { EventStream } from '../../http/event-stream.ts'
import type { CredentialOf } from '../../login/credential.ts'
import type { Caller, DoorPlugin } from '../../operation/caller.ts'
import type { Connections } from '../../socket/connections.ts'
import type { ServerResponse } from 'node:http'

export interface EventStreamsOptions {
  readonly credentialOf: CredentialOf
  readonly connections: Connections
  readonly metrics: Metrics
}

/** "no-transform" and "x-accel-buffering": proxies hold streams back otherwise. */
const HEADERS = {
  'content-type': `${EVENT_STREAM}; charset=utf-8`,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

export function useEventStream({ connections, credentialOf, metrics }: EventStreamsOptions): DoorPlugin {
  /** Of requests whose subscription was begun: they count from then on, as others may begin meanwhile. */
  const opened = new WeakMap<Request, EventStream>()
  /** Those that the hub writes to. */
  const ofHub = new WeakSet<EventStream>()

  function open(request: Request, caller: Caller, response: ServerResponse | undefined): EventStream {
    const onCut = (bufferedBytes: number): void => {
      metrics.slowConsumers.inc({ transport: 'sse' })
      caller.logger.warn({ bufferedBytes }, 'a slow consumer was cut')
    }
    const credential = credentialOf(request)
    const identity = credential === null ? null : { credential, viewer: caller.viewer }
    const lastSeq = lastSeqOf(request.headers.get('last-event-id'))
    const stream = new EventStream({ identity, response: response ?? null, lastSeq, onCut })
    const removed = connections.add(stream)
    void stream.closed.then(removed)
    response?.once('close', () => stream.body.destroy())
    return stream
  }

  return {
    onContextBuilding({ context, extendContext }) {
      const { request } = context
      if (request === undefined) return
      const accepted = acceptedOf(request.headers.get('accept')).events
      const openLogChannel = (): EventStream => {
        const stream = must(opened.get(request), 'the stream of a subscription')
        ofHub.add(stream)
        return stream
      }
      extendContext({ openLogChannel: accepted ? openLogChannel : null })
    },
    onSubscribe({ context, setResultAndStopExecution }) {
      const { request, caller } = context
      if (request === undefined) return
      const refusal = connections.refusal(caller.viewer)
      if (refusal !== null) return setResultAndStopExecution({ errors: [tooManyConnections(refusal)] })
      opened.set(request, open(request, caller, (context as { res?: ServerResponse }).res))
    },
    onResultProcess({ request, result, serverContext, setResultProcessor }) {
      if (Array.isArray(result)) return
      const stream = opened.get(request)
      if (!isAsyncIterable(result)) {
        // Nothing was begun, and nothing streams.
        if (result.errors !== undefined && result.data === undefined && stream === undefined)
          if (!acceptedOf(request.headers.get('accept')).json) setResultProcessor(processRegularResult, RESPONSE_JSON)
        stream?.body.destroy()
        return
      }
      const { caller } = serverContext
      if (caller === undefined || stream === undefined) return
      setResultProcessor((results, { Response }) => {
        if (!ofHub.has(stream) && isAsyncIterable(results))
          stream.pipe(results).catch((error: unknown) => {
            caller.logger.error({ err: error }, 'a subscription failed; its stream is cut')
            stream.body.destroy()
          })
        return new Response(stream.body as unknown as ReadableStream, { headers: HEADERS })
      }, EVENT_STREAM)
    },
  }
}

function tooManyConnections(refusal: string): GraphQLError {
  return new GraphQLError(`Too many connections: ${refusal}`, { extensions: { code: 'LIMIT_EXCEEDED' } })
}

/** Ids of events are their seqs. */
function lastSeqOf(header: string | null): number | null {
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null
}
