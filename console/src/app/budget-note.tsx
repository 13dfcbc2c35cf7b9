/** Says when the viewer has used most of what a budget allows today. */
import { useRead } from '../data/use-read.ts'
import { OwnBudgetDocument } from '../generated/graphql.ts'
import { Time } from '../ui/display/time.tsx'

const EVERY_MS = 60_000
const MOST = 0.8

export function BudgetNote() {
  const { data } = useRead(OwnBudgetDocument, {}, { everyMs: EVERY_MS })
  const budget = data?.viewer.budget ?? null
  if (budget === null) return null
  const { tokensPerDay, tokensUsed, costPerDay, costUsed, resetsAt } = budget
  const ofCost = costPerDay === null ? 0 : partOf(Number(costUsed.amount), Number(costPerDay.amount))
  const part = Math.max(ofCost, tokensPerDay === null ? 0 : partOf(tokensUsed, tokensPerDay))
  if (part < MOST) return null
  return (
    <p className="nav-note small">
      {part < 1 ? `${Math.floor(part * 100)} % of your budget for today is used.` : 'Your budget for today is used up.'}{' '}
      The next one begins <Time at={resetsAt} />.
    </p>
  )
}

function partOf(used: number, limit: number): number {
  return used >= limit ? 1 : used / limit
}
