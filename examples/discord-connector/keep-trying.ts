/** Repeats what failed for now, until it goes well, cannot go well, or the connector stops. */
import { setTimeout as sleep } from 'node:timers/promises'
import { DiscordAPIError } from '@discordjs/rest'
import { ClientError } from '@factotum/client'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 60_000

interface Trying {
  /** Ends the pauses; the failure before is thrown then. */
  readonly signal: AbortSignal
  /** Whether the same would fail again, however often. */
  readonly isFinal: (error: unknown) => boolean
}

/** Only for what may be done twice. */
export async function keepTrying(work: () => Promise<void>, { signal, isFinal }: Trying): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error
      console.error(`failed; tried again in ${pauseMs / 1000} s`, error)
      await sleep(pauseMs, undefined, { signal })
    }
  }
}

/** A refusal of either side. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ClientError ? !error.isPassing : error instanceof DiscordAPIError
}

/** The session or the channel is gone; Discord's other refusals, such as of a right, may be mended. */
export function isGone(error: unknown): boolean {
  return error instanceof ClientError ? !error.isPassing : error instanceof DiscordAPIError && error.status === 404
}
