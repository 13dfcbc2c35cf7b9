/**
 * A turn takes messages along that wait in its session: before its first plan, when messages are collected, and at the
 * boundary before each of its tasks, when the session's policy is STEER. Whatever dies when: a message that joined is
 * in the rows with the plan that it broke off, so who takes the turn over knows of it, and one that did not join waits
 * for its own turn.
 */
import { messagesToJoin } from '../core/session/join-messages.ts'
import { findWaiting, type JoinedMessage, type WaitingMessage } from '../store/turn/join-turns.ts'
import type { HookContext } from './hooks/hook-data.ts'
import { notifyMessages } from './hooks/notify-messages.ts'
import { failedTask, type PlanState } from './task/plan-state.ts'
import type { TurnContext } from './turn-context.ts'

/** A turn whose user goes on and on would never end; what comes later gets a turn of its own. */
const MAX_PLANS_BROKEN_OFF = 5

type CollectMessagesContext = HookContext &
  Pick<TurnContext, 'messages' | 'busyPolicy' | 'join' | 'journal' | 'signal' | 'database' | 'clock'>

/** Before the first plan. Costs nothing where nothing waits, or nothing is collected. */
export async function collectMessages(context: CollectMessagesContext): Promise<void> {
  const { turn, config, signal, journal } = context
  const collects = config.current().settings.collectWindowMs > 0 || context.busyPolicy() === 'COLLECT'
  if (turn.waiting === 0 || !collects || signal.aborted) return
  const joined = await takeWaiting(context, { attempt: 0, isWanted: () => true })
  if (joined.length === 0) return
  const detail = `Takes along ${describeCount(joined.length)} of ${turn.userName} that waited.`
  journal.record([{ type: 'PipelineStep', step: 'RECEIVED', detail }])
}

/** The user said more while the plan ran, and no task of it had failed: another one takes its place. */
export function isBrokenOff({ messages }: Pick<TurnContext, 'messages'>, plan: PlanState): boolean {
  return messages.thatBrokeOff(plan.attempt).length > 0 && failedTask(plan) === null
}

type TakeAdditionsContext = HookContext &
  Pick<TurnContext, 'messages' | 'busyPolicy' | 'join' | 'journal' | 'database' | 'clock'>

/** Before a task, and before the next plan. True: the user has said more since this plan was made. */
export async function takeAdditions(context: TakeAdditionsContext, plan: PlanState): Promise<boolean> {
  const { messages, journal } = context
  if (isBrokenOff(context, plan)) return true
  if (context.busyPolicy() !== 'STEER' || messages.plansBrokenOff >= MAX_PLANS_BROKEN_OFF) return false
  await journal.flushed()
  const joined = await takeWaiting(context, { attempt: plan.attempt, isWanted: ({ addressed }) => addressed })
  return joined.length > 0
}

type TakeContext = HookContext & Pick<TurnContext, 'messages' | 'join' | 'database' | 'clock'>

/** Lets those that wait and are wanted join; returns those that did. */
export async function takeWaiting(
  context: TakeContext,
  { attempt, isWanted }: { readonly attempt: number; readonly isWanted: (message: WaitingMessage) => boolean },
): Promise<readonly JoinedMessage[]> {
  const { turn, messages, sessionId, database, clock } = context
  const waiting = await findWaiting(database, sessionId)
  const soFar = { userName: turn.userName, client: turn.tokenName, bytes: messages.bytes }
  const turnIds = messagesToJoin(soFar, waiting.filter(isWanted)).map(({ turnId }) => turnId)
  if (turnIds.length === 0) return []
  const joined = await context.join({ turnIds, attempt, at: clock.now() })
  messages.add(joined)
  notifyMessages(
    context,
    joined.map(({ messageId: id, content }) => ({ id, content })),
  )
  return joined
}

/** For people: "one message", "2 messages". */
export function describeCount(count: number): string {
  return count === 1 ? 'one message' : `${count} messages`
}
