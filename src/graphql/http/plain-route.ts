/** What the door answers besides GraphQL: one path, or all below it. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
}

export interface PlainRoute {
  /** With a slash at its end when it stands for all below it. */
  readonly path: string
  /** As `Access-Control-Allow-Methods` names them. */
  readonly methods: string
  /** What it throws is masked and answered with 500. A client that leaves is no failure. */
  answer(exchange: Exchange): Promise<void>
}
