/** `factotum tail`: the log of a session, as it grows. */
import type { FactotumClient } from '../../packages/client/src/connect.ts'
import { describeEvent } from './describe-event.ts'
import { print, type Terminal } from './terminal.ts'

export interface TailOptions {
  readonly sessionId: string
  readonly after: number | null
  readonly json: boolean
  /** Ends it. */
  readonly signal: AbortSignal
}

/** As JSON, each event is a line of its own. */
export async function tail(client: FactotumClient, terminal: Terminal, options: TailOptions): Promise<void> {
  const { sessionId, after, json, signal } = options
  const from = after === null ? {} : { after }
  for await (const event of client.session(sessionId).events({ ...from, signal })) {
    const line = json ? JSON.stringify(event) : describeEvent(event)
    if (line !== null) print(terminal, line)
  }
}
