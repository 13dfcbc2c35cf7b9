/** Who sends an operation, how, and what else the rules of the door know about it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ExecutionResult } from 'graphql'
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import type { ClientTrace, Viewer } from '../../core/identity.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Hold } from '../live/hub.ts'
import type { Subscriber } from '../live/subscriber.ts'

export type Transport = 'http' | 'sse' | 'websocket'

export interface Caller {
  readonly viewer: Viewer
  readonly requestId: string
  readonly logger: Logger
  readonly transport: Transport
  /** As in RequestContext. */
  readonly trace: ClientTrace | null
  /** The rate of its token has been counted already, with the request that it stands in. */
  readonly isCounted?: boolean
  /**
   * It is a later part of a request that has been let in: it counts, but the rate does not refuse it. A message that
   * was taken is followed to its answer, or its client would send it again.
   */
  readonly isUnderWay?: boolean
}

/** Carries the events of a session's log to one client. */
export interface LogChannel {
  readonly subscriber: Subscriber
  /** Lets go of the hold when the client leaves. What it returns yields nothing: the hub writes to the subscriber. */
  carry(hold: Hold): AsyncGenerator<ExecutionResult, void, void>
  /** The seq that the client says it received last (`Last-Event-ID`); null: it does not say. */
  readonly lastSeq: number | null
}

/** What the plugins find in the context of an operation; HTTP and WebSocket both fill it in. */
export interface OperationContext {
  readonly caller: Caller
  readonly params: GraphQLParams
  /** Null where a subscription cannot be answered: over HTTP to a client that does not accept an event stream. */
  readonly openLogChannel: (() => LogChannel) | null
  /** Of the operation (operation-limits.ts), as it was measured when it was parsed. */
  readonly cost?: number
}

/**
 * What is known of an HTTP request besides the request itself. `req` and `res` are node's, where there is a node
 * server.
 */
export interface HttpContext {
  readonly req?: IncomingMessage
  readonly res?: ServerResponse
  requestId?: string
  logger?: Logger
  caller?: Caller
}

/** A rule of the door, as a plugin of graphql-yoga. */
export type DoorPlugin = Plugin<OperationContext, HttpContext>
