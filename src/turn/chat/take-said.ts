/**
 * What the user says while the assistant works (busy policy STEER): taken along at the boundary of a call or of an
 * answer, as it is before a task of a plan.
 */
import { takeSecretsByForm } from '../secrets/take-secrets.ts'
import type { HookContext } from '../hooks/hook-data.ts'
import { takeWaiting } from '../take-along.ts'
import type { TurnContext } from '../turn-context.ts'

/** A turn whose user goes on and on would never end; what comes later gets a turn of its own. */
const MAX_ADDITIONS = 20

type TakeSaidContext = HookContext &
  Pick<TurnContext, 'messages' | 'busyPolicy' | 'join' | 'journal' | 'database' | 'clock'>

/** True: the user has said more since the model answered in this `round`. */
export async function takeSaid(context: TakeSaidContext, round: number): Promise<boolean> {
  const { messages, journal } = context
  const before = messages.thatBrokeOff(round).length > 0
  if (context.busyPolicy() !== 'STEER' || messages.joined.length >= MAX_ADDITIONS) return before
  await journal.flushed()
  const joined = await takeWaiting(context, { attempt: round, isWanted: ({ addressed }) => addressed })
  if (joined.length > 0) takeSecretsByForm(context)
  return before || joined.length > 0
}
