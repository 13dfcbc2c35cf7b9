/**
 * The story of a turn in mode CHAT: the model answers, its calls are made, and it answers again, until it answers
 * without calls. All of it is one plan, which grows by each answer; approvals, running, cancelling, secrets and ends
 * are those of plans.
 *
 *   CONTEXT             assembleContext, as for a plan
 *   ANSWERING           answer: one answer of the model, streamed
 *   EXECUTING           makeCalls: the calls of that answer, then ANSWERING again
 *   DELIVERING          each text, the last one final
 */
import type { KnownContext } from '../../agents/agent.ts'
import { randomHex } from '../../platform/random.ts'
import { delegateTyped } from '../delegation/typed-delegation.ts'
import { diedTooOften } from '../died-too-often.ts'
import type { PlanState } from '../task/plan-state.ts'
import { assembleContext } from '../steps/assemble-context.ts'
import { collectMessages } from '../take-along.ts'
import { stopped, type Ending, type TurnContext } from '../turn-context.ts'
import { takeSecretsByForm } from '../secrets/take-secrets.ts'
import { answer } from './answer.ts'
import { failedInRow, isAnswered, isFinal, roundsOf, type Round } from './chat-rounds.ts'
import { shownOf } from './grow-plan.ts'
import { makeCalls, type MakeCallsContext } from './make-calls.ts'
import { ProviderSession } from './provider-session.ts'
import { takeSaid } from './take-said.ts'

/** A model that fails so often in a row does not get there. */
const MAX_FAILED_IN_A_ROW = 15

/** `attempts`: the turn's plan, if there is one already; the one that this makes is added. */
export async function runChat(context: TurnContext, attempts: PlanState[]): Promise<Ending> {
  if (attempts.length === 0) {
    await collectMessages(context)
    takeSecretsByForm(context)
    delegateTyped(context, attempts)
  }
  const fenceToken = randomHex(16)
  const provider = await ProviderSession.open(context)
  let known: KnownContext | null = null
  for (;;) {
    if (context.signal.aborted) return stopped(context)
    const rounds = roundsOf(attempts.at(-1) ?? null)
    const last = rounds.at(-1)
    if (last !== undefined && isAnswered(last)) {
      const ending = await finishRound(context, attempts, { rounds, last })
      if (ending !== null) return ending
    }
    known ??= await knowAnew(context, attempts)
    const ending = await answer(context, attempts, { known, fenceToken, provider })
    if (ending !== null) return ending
  }
}

/** A plan that is there already was stored with what the model knew then, which may be less. */
async function knowAnew(context: TurnContext, attempts: readonly PlanState[]): Promise<KnownContext> {
  const known = await assembleContext(context, [])
  if (attempts.length > 0) context.journal.record([], shownOf(known))
  return known
}

/** Null: the model is to answer again. */
async function finishRound(
  context: MakeCallsContext,
  attempts: readonly PlanState[],
  { rounds, last }: { readonly rounds: readonly Round[]; readonly last: Round },
): Promise<Ending | null> {
  const plan = attempts.at(-1)
  if (plan === undefined) return null
  if (isFinal(last)) return { kind: 'Done' }
  const ending = await makeCalls(context, plan, last)
  if (ending !== null) return ending
  await takeSaid(context, last.number)
  return diedTooOften(context) ?? tooMuch(context, rounds)
}

function tooMuch({ config }: Pick<TurnContext, 'config'>, rounds: readonly Round[]): Ending | null {
  const { chatMaxRounds } = config.current().settings
  if (rounds.length >= chatMaxRounds) {
    const failure = `I gave up after ${rounds.length} rounds of work without coming to an answer. Ask for less at a time, or tell me to go on.`
    return { kind: 'Failed', failure }
  }
  if (failedInRow(rounds) < MAX_FAILED_IN_A_ROW) return null
  return {
    kind: 'Failed',
    failure: `I gave up, because ${MAX_FAILED_IN_A_ROW} calls failed one after another. The last ones are listed with this turn.`,
  }
}
