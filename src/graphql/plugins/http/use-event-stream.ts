/**
 * Subscriptions over HTTP are server-sent events (event-stream.ts), written so that a client that does not keep up is
 * cut. What is refused before it begins is answered in JSON, with a status.
 */
import { isAsyncIterable, processRegularResult } from 'graphql-yoga'
import type { Metrics } from '../../../platform/metrics.ts'
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
  /** Those that the hub writes to. */
  const opened = new WeakMap<Request, EventStream>()
  /** Requests whose subscription was begun. */
  const begun = new WeakSet<Request>()

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
    return stream
  }

  return {
    onContextBuilding({ context, extendContext }) {
      const { request, caller } = context
      if (request === undefined) return
      const accepted = acceptedOf(request.headers.get('accept')).events
      const openLogChannel = (): EventStream => {
        const stream = open(request, caller, (context as { res?: ServerResponse }).res)
        opened.set(request, stream)
        return stream
      }
      extendContext({ openLogChannel: accepted ? openLogChannel : null })
    },
    onSubscribe({ context: { request } }) {
      if (request !== undefined) begun.add(request)
    },
    onResultProcess({ request, result, serverContext, setResultProcessor }) {
      if (Array.isArray(result)) return
      if (!isAsyncIterable(result)) {
        // Nothing was begun, and nothing streams.
        if (result.errors !== undefined && result.data === undefined && !begun.has(request))
          if (!acceptedOf(request.headers.get('accept')).json) setResultProcessor(processRegularResult, RESPONSE_JSON)
        opened.get(request)?.body.destroy()
        return
      }
      const { caller, res } = serverContext
      if (caller === undefined) return
      setResultProcessor((results, { Response }) => {
        const ofHub = opened.get(request)
        const stream = ofHub ?? open(request, caller, res)
        if (ofHub === undefined && isAsyncIterable(results))
          stream.pipe(results).catch((error: unknown) => {
            caller.logger.error({ err: error }, 'a subscription failed; its stream is cut')
            stream.body.destroy()
          })
        return new Response(stream.body as unknown as ReadableStream, { headers: HEADERS })
      }, EVENT_STREAM)
    },
  }
}

/** Ids of events are their seqs. */
function lastSeqOf(header: string | null): number | null {
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null
}
