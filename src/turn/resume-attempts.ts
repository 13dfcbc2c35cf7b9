/**
 * How far the turn came, from its rows: the plans that it has made, and the messages that it has taken along. For a
 * turn that another process left, or that broke off.
 */
import { reachOfTurn, teachersFor } from '../knowledge/reach-of-turn.ts'
import { loadJoined } from '../store/turn/join-turns.ts'
import { loadKnown, loadPlans } from '../store/turn/turn-history.ts'
import { planStateOf, type PlanState } from './task/plan-state.ts'
import type { TurnContext } from './turn-context.ts'

/** Oldest first. It also fills the messages and the plugins' work of the turn, so it is called once. */
export async function resumeAttempts(
  context: Pick<TurnContext, 'sessionId' | 'turn' | 'messages' | 'plugins' | 'database' | 'config'>,
): Promise<PlanState[]> {
  const { database, turn, sessionId } = context
  const config = context.config.current()
  const reach = await reachOfTurn(database, config, { sessionId, userName: turn.userName })
  const shown = { turnId: turn.id, reach, teachers: teachersFor(config, turn.userName) }
  const [plans, { pluginWork, ...before }, joined] = await Promise.all([
    loadPlans(database, turn.id),
    loadKnown(database, shown),
    loadJoined(database, turn.id),
  ])
  context.messages.add(joined)
  context.plugins.work = pluginWork
  const known = { ...before, pluginSections: pluginWork.sections ?? [] }
  const attempts: PlanState[] = []
  // Attempt 0 holds what was said of a command.
  for (const plan of plans.filter(({ attempt }) => attempt > 0)) attempts.push(planStateOf(plan, known, attempts))
  return attempts
}
