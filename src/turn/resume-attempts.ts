/** The plans that the turn has made so far, from its rows: for a turn that another process left, or that broke off. */
import { loadPlans } from '../store/turn-history.ts'
import { planStateOf, type PlanState } from './plan-state.ts'
import type { TurnContext } from './turn-context.ts'

export async function resumeAttempts(context: TurnContext): Promise<PlanState[]> {
  const plans = await loadPlans(context.database, context.turn.id)
  const attempts: PlanState[] = []
  for (const plan of plans) attempts.push(planStateOf(plan, attempts))
  return attempts
}
