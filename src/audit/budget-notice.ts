/**
 * Notes in the audit, for admins, that a user has used most or all of a budget: once a day (UTC) for each limit,
 * whichever processes see it and however often they start, because the entry's id is made from them.
 */
import type { Budget } from '../config/config.ts'
import { sharedId } from '../platform/id.ts'
import { appendAudit } from '../store/audit-entries.ts'
import type { Database } from '../store/database.ts'

const MOST = 0.8
const DAY_MS = 86_400_000

/** What calls of models have used. */
export interface Used {
  readonly tokens: number
  readonly cost: number
}

interface Spent {
  readonly userName: string
  readonly used: Used
  readonly limits: Budget & { readonly currency: string | null }
  /** By the database's clock. */
  readonly at: Date
}

/** An entry for each limit of which the user has used most. */
export async function noteBudget(database: Database, { userName, used, limits, at }: Spent): Promise<void> {
  const { tokensPerDay, costPerDay, currency } = limits
  const money = currency === null ? '' : ` ${currency}`
  const parts = [
    { limit: tokensPerDay, part: used.tokens / (tokensPerDay ?? 1), words: `${tokensPerDay} tokens a day` },
    { limit: costPerDay, part: used.cost / (costPerDay ?? 1), words: `a cost of ${costPerDay}${money} a day` },
  ]
  for (const { limit, part, words } of parts) {
    // A budget of nothing is no limit that is neared.
    if (limit === null || limit === 0 || part < MOST) continue
    const change = part < 1 ? 'BUDGET_NEARLY_USED' : 'BUDGET_USED_UP'
    const id = sharedId('audit', { at, withinMs: DAY_MS, seed: `${change} ${userName} ${words}` })
    if (await isNoted(database, id)) continue
    const detail = `${userName} has used ${part < 1 ? '80 % of' : 'all of'} the budget of ${words}.`
    const body = { kind: 'CONFIG', change, detail } as const
    await appendAudit(database, [{ id, at, sessionId: null, turnId: null, actor: userName, tokenName: null, body }])
  }
}

/** Read first: it is asked before each call of a model from then on. */
async function isNoted(database: Database, id: string): Promise<boolean> {
  const statement = { name: 'budget.is-noted', text: 'SELECT 1 FROM audit_entries WHERE id = $1' }
  return (await database.query(statement, [id])).length > 0
}
