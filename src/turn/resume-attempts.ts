/** The plans that the turn has made so far, from its rows: for a turn that another process left, or that broke off. */
import { loadKnown, loadPlans } from '../store/turn-history.ts'
import { planStateOf, type PlanState } from './plan-state.ts'
import type { TurnContext } from './turn-context.ts'

export async function resumeAttempts(context: TurnContext): Promise<PlanState[]> {
  const { database, turn } = context
  const [plans, known] = await Promise.all([loadPlans(database, turn.id), loadKnown(database, turn.id)])
  const attempts: PlanState[] = []
  for (const plan of plans) attempts.push(planStateOf(plan, known, attempts))
  return attempts
}
