/** How long a command waits for a server that it has talked with: to be replaced, or to start on another machine. */
import { ClientError, type FactotumClient } from '../../packages/client/src/connect.ts'
import type { Clock } from '../platform/clock.ts'

export const AWAY_MS = 300_000

/** Rejects when what is followed has been without a connection for that long; never resolves. */
export function untilAway(client: FactotumClient, clock: Clock): Promise<never> {
  return new Promise((_, reject) => {
    let cancel = (): void => {}
    client.watchConnection(() => {
      cancel()
      if (client.connectionState === 'offline')
        cancel = clock.after(AWAY_MS, () =>
          reject(new ClientError('UNREACHABLE', 'No WebSocket to it came about for 5 minutes.')),
        )
    })
  })
}
