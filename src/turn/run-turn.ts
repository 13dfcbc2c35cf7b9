/**
 * The story of a turn, from the message to its end; each step is a file of its own beside this one.
 *
 *   RECEIVED                        the worker took the turn (src/store/begin-turn.ts)
 *   CONTEXT                         assembleContext
 *   PLANNING, PLANNED, VALIDATION   makePlan, with feedback to the planner until the plan is sound
 *   EXECUTING                       executePlan, task by task: executeCommand, writeMessage
 *   REVIEWING                       reviewTask, after every command
 *   REPLANNING                      decideReplan, on verdict REPLAN; then CONTEXT again
 *   DELIVERING                      writeMessage, with each finished text
 *   COMPLETE                        finishTurn: always the last, also after failure and cancel
 *
 * A turn that was left by a process that died enters with its rows (`resumeAttempts`) and goes on at the first task that has
 * not ended. Everything it writes goes through `context.journal`, fenced by the lease.
 */
import { assembleContext } from './assemble-context.ts'
import { decideReplan } from './decide-replan.ts'
import { executePlan } from './execute-plan.ts'
import { finishTurn } from './finish-turn.ts'
import { makePlan } from './make-plan.ts'
import type { PlanState } from './plan-state.ts'
import { resumeAttempts } from './resume-attempts.ts'
import { stopped, type Ending, type TurnContext } from './turn-context.ts'

/** Runs the turn to its end, or until it is stopped. Rejects only when it can no longer write, or for a bug. */
export async function runTurn(context: TurnContext): Promise<Ending> {
  const attempts = context.turn.resumed ? await takeOver(context) : []
  const ending: Ending = context.turn.cancelRequested
    ? { kind: 'Stopped', reason: 'CANCELLED' }
    : await carryOut(context, attempts)
  return finishTurn(context, attempts, ending)
}

/**
 * Where the turn was left. Proves first that it can be written to: with a database that reads but does not write (a full disk),
 * a turn that comes back every few seconds must not ask the models each time.
 */
async function takeOver(context: TurnContext): Promise<PlanState[]> {
  context.journal.record([])
  await context.journal.flushed()
  return resumeAttempts(context)
}

/** Executes the plan at hand and makes another while its review asks for one. `attempts` grows with each plan. */
async function carryOut(context: TurnContext, attempts: PlanState[]): Promise<Ending> {
  for (;;) {
    const plan = attempts.at(-1)
    if (plan !== undefined) {
      const executed = await executePlan(context, plan)
      if (executed.kind !== 'ReplanWanted') return executed
      const decision = decideReplan(context, attempts, executed)
      if (decision.kind !== 'Replan') return decision
    }
    if (context.signal.aborted) return stopped(context)
    const made = await makePlan(context, assembleContext(context, attempts), attempts)
    if (made.kind !== 'Planned') return made
    attempts.push(made.plan)
  }
}
