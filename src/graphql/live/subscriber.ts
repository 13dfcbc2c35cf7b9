/**
 * One running log subscription, as the hub sees it, whatever carries it (web-socket.ts, event-stream.ts). Nothing here
 * throws.
 */
import type { GraphQLError } from 'graphql'
import type { Batch } from './batch.ts'

/** A live subscriber whose connection holds more than this is cut: its log is durable, it resumes with `after`. */
export const MAX_BUFFERED_BYTES = 1024 * 1024
/** A subscriber that catches up is given no more while its connection holds more than this. */
export const ENOUGH_BUFFERED_BYTES = 256 * 1024
/** A subscriber that catches up and takes nothing for this long is cut. */
export const STALLED_MS = 30_000

export interface Subscriber {
  /** Bytes written and not yet taken by the network, of the whole connection. */
  readonly bufferedBytes: number
  send(batch: Batch): void
  /** Resolves when the connection holds nothing more, or is closed. */
  drained(): Promise<void>
  /** Too slow: closes the whole connection with SLOW_CONSUMER. The hub hears of it by `close()` of its hold. */
  cut(): void
  /** Ends this subscription, the connection stays. Called at most once, and nothing is sent after it. */
  fail(error: GraphQLError): void
}
