/**
 * The story of a turn, from the message to its end; each step is a file of its own beside this one.
 *
 *   RECEIVED                        the worker took the turn (src/store/turn/begin-turn.ts)
 *   RECEIVED again                  collectMessages, when it takes others of its user along
 *   COMMANDS                        handleTyped, when the first line of the message is one of a plugin's commands
 *   CONTEXT                         assemblePlanning
 *   PLANNING, PLANNED, VALIDATION   makePlan, with feedback to the planner until the plan is sound
 *   EXECUTING                       executePlan, task by task: executeCommand, runSkill, writeMessage
 *   REVIEWING                       reviewTask, after every command and skill
 *                                   (mode CHAT: ANSWERING and EXECUTING by turns, chat/run-chat.ts; a message that
 *                                   calls a tool: EXECUTING alone, chat/run-direct-call.ts)
 *   REPLANNING                      decideReplan, on verdict REPLAN, or breakOff, when the user said more;
 *                                   then CONTEXT again
 *   DELIVERING                      writeMessage, with each finished text
 *   CURATING                        curateLearnings   ⎫ tendKnowledge: each only when it is due; the
 *   SUMMARIZING                     summarizeSession  ⎬ user has the answer already, and nothing of it
 *   CONSOLIDATING                   consolidateFacts  ⎭ changes how the turn ended
 *   COMPLETE                        finishTurn: always the last, also after failure and cancel
 *
 * A turn that was left by a process that died enters with its rows (`resumeAttempts`) and goes on at the first task
 * that has not ended. Everything it writes goes through `context.journal`, fenced by the lease.
 */
import { assemblePlanning } from './steps/assemble-context.ts'
import { breakOff, decideReplan, type ReplanDecision } from './steps/decide-replan.ts'
import { isTyped } from './delegation/typed-delegation.ts'
import { diedTooOften } from './died-too-often.ts'
import { executePlan } from './steps/execute-plan.ts'
import type { PipelineStep } from '../core/status.ts'
import type { OpenTurn } from '../store/turn/begin-turn.ts'
import { finishTurn } from './finish-turn.ts'
import { interruptTask } from './program/interrupt-task.ts'
import { nextStep } from './task/next-step.ts'
import type { PlanState } from './task/plan-state.ts'
import { runChat } from './chat/run-chat.ts'
import { runDirectCall } from './chat/run-direct-call.ts'
import { resumeAttempts } from './resume-attempts.ts'
import { settleTurn } from './settle-turn.ts'
import { planInSpan } from './spans/step-spans.ts'
import { collectMessages, takeAdditions } from './take-along.ts'
import type { BrokenOff, ReplanWanted } from './task/task-outcome.ts'
import { handleTyped } from './hooks/typed-commands.ts'
import { notifyStart } from './hooks/notify-messages.ts'
import { tendKnowledge } from './knowledge/tend-knowledge.ts'
import { stopped, type Ending, type TaskContext, type TurnContext } from './turn-context.ts'

/** Runs the turn to its end, or until it is stopped. Rejects only when it can no longer write, or for a bug. */
export async function runTurn(context: TurnContext): Promise<Ending> {
  const attempts = context.turn.resumed ? await takeOver(context) : []
  const ended = endedBefore(context.turn)
  const ending = ended ?? (await workOn(context, attempts))
  // A turn that had ended goes on with what its process left undone, unless that killed too many processes or a cancel
  // was requested. Where a person called a tool no model is asked at all: what is due waits for the next turn.
  const goesOn = context.turn.call === null && (ended === null || refusal(context) === null)
  return finishTurn(context, goesOn ? await tendKnowledge(context, ending) : ending)
}

const AFTER_THE_END: ReadonlySet<PipelineStep | null> = new Set(['CURATING', 'SUMMARIZING', 'CONSOLIDATING'])

/** How a turn that is continued had ended already. */
function endedBefore({ failure, failureDetail, step }: OpenTurn): Ending | null {
  if (failure !== null) return { kind: 'Failed', failure, ...(failureDetail === null ? {} : { detail: failureDetail }) }
  return AFTER_THE_END.has(step) ? { kind: 'Done' } : null
}

async function workOn(context: TurnContext, attempts: PlanState[]): Promise<Ending> {
  const refused = refusal(context)
  if (refused !== null) await interruptTasks(context, attempts)
  else if (attempts.length === 0) notifyStart(context)
  const handled = refused ?? (await handleTyped(context))
  const ending = handled ?? (await storyOf(context.turn, attempts)(context, attempts))
  settleTurn(context, attempts, ending)
  return ending
}

type Story = (context: TurnContext, attempts: PlanState[]) => Promise<Ending>

function storyOf(turn: OpenTurn, attempts: readonly PlanState[]): Story {
  const { call, mode } = turn
  if (call !== null) return (context, soFar) => runDirectCall(context, soFar, call)
  return mode === 'CHAT' || isTyped(turn, attempts) ? runChat : carryOut
}

/** Why a turn is not carried on at all, if so. */
function refusal(context: Pick<TurnContext, 'turn' | 'journal'>): Ending | null {
  return context.turn.cancelRequested ? { kind: 'Stopped', reason: 'CANCELLED' } : diedTooOften(context)
}

/** Tasks that were under way when the process died have an unknown outcome, also when no review follows. */
async function interruptTasks(
  context: TaskContext & Pick<TurnContext, 'database'>,
  attempts: readonly PlanState[],
): Promise<void> {
  for (const task of attempts.at(-1)?.tasks ?? []) {
    if (nextStep(task) === 'interrupt') await interruptTask(context, task)
  }
}

/**
 * Where the turn was left. Proves first that it can be written to: with a database that reads but does not write (a
 * full disk), a turn that comes back every few seconds must not ask the models each time.
 */
async function takeOver(
  context: Pick<TurnContext, 'sessionId' | 'turn' | 'messages' | 'journal' | 'plugins' | 'database' | 'config'>,
): Promise<PlanState[]> {
  context.journal.record([])
  await context.journal.flushed()
  return resumeAttempts(context)
}

function decide(
  context: TaskContext & Pick<TurnContext, 'messages' | 'config'>,
  attempts: readonly PlanState[],
  executed: ReplanWanted | BrokenOff | Ending,
): ReplanDecision {
  if (executed.kind === 'ReplanWanted') return decideReplan(context, attempts, executed)
  return executed.kind === 'BrokenOff' ? breakOff(context, attempts) : executed
}

/** Executes the plan at hand and makes another while its review asks for one. `attempts` grows with each plan. */
async function carryOut(context: TurnContext, attempts: PlanState[]): Promise<Ending> {
  if (attempts.length === 0) await collectMessages(context)
  for (;;) {
    const plan = attempts.at(-1)
    if (plan !== undefined) {
      const executed = await executePlan(context, plan)
      const decision = decide(context, attempts, executed)
      if (decision.kind !== 'Replan') return decision
      // What the user has said meanwhile is planned for at once, rather than breaking off the next plan.
      if (executed.kind === 'ReplanWanted') await takeAdditions(context, plan)
    }
    if (context.signal.aborted) return stopped(context)
    const made = await planInSpan(context, await assemblePlanning(context, attempts), attempts)
    if (made.kind !== 'Planned') return made
    attempts.push(made.plan)
  }
}
