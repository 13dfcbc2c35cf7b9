/** `[budgets]`: what a user and a session may use in a day (UTC). Says which budget holds for whom. */
import * as z from 'zod'
import type { Budget, Budgets, Config } from '../config.ts'
import { name, says } from '../field.ts'

const tokensRule = says('must be a whole number of tokens, 0 or more')
const costRule = says('must be a number, 0 or more, in the currency of [prices]')
const tokens = z.int(tokensRule).min(0, tokensRule)
const cost = z.number(costRule).min(0, costRule)
const unlimited = <Rule extends z.ZodType>(rule: Rule, text: string) =>
  z.union([rule, z.literal('unlimited')], says(`${text}, or "unlimited"`))

const userBudgetSchema = z.strictObject(
  {
    tokens_per_day: unlimited(tokens, 'must be a whole number of tokens, 0 or more')
      .optional()
      .meta({ description: 'Instead of user_tokens_per_day; "unlimited": no such budget.' }),
    cost_per_day: unlimited(cost, 'must be a number, 0 or more, in the currency of [prices]')
      .optional()
      .meta({ description: 'Instead of user_cost_per_day; "unlimited": no such budget.' }),
  },
  says('must be a section [budgets.users.<name>]'),
)

export const budgetsSchema = z.strictObject(
  {
    user_tokens_per_day: tokens
      .optional()
      .meta({ description: 'Tokens, read and written together, that the turns of one user may use in a day (UTC).' }),
    user_cost_per_day: cost.optional().meta({ description: 'Likewise, what they may cost; needs [prices].' }),
    session_tokens_per_day: tokens.optional().meta({ description: 'Tokens that the turns of one session may use.' }),
    session_cost_per_day: cost.optional().meta({ description: 'Likewise, what they may cost.' }),
    users: z
      .record(name(), userBudgetSchema, says('must be sections [budgets.users.<name>]'))
      .default({})
      .meta({ description: 'Budgets of single users: [budgets.users.<name>] with tokens_per_day, cost_per_day.' }),
  },
  says('must be a section [budgets]'),
)

type BudgetsSection = z.output<typeof budgetsSchema>

export function toBudgets(section: BudgetsSection): Budgets {
  const user = { tokensPerDay: section.user_tokens_per_day ?? null, costPerDay: section.user_cost_per_day ?? null }
  const own = (value: number | 'unlimited' | undefined, instead: number | null): number | null =>
    value === undefined ? instead : value === 'unlimited' ? null : value
  const users = Object.entries(section.users).map(([userName, budget]): [string, Budget] => [
    userName,
    {
      tokensPerDay: own(budget.tokens_per_day, user.tokensPerDay),
      costPerDay: own(budget.cost_per_day, user.costPerDay),
    },
  ])
  const session = {
    tokensPerDay: section.session_tokens_per_day ?? null,
    costPerDay: section.session_cost_per_day ?? null,
  }
  return { user, session, users: new Map(users) }
}

export function userBudget({ budgets }: Config, userName: string): Budget {
  return budgets.users.get(userName) ?? budgets.user
}

export function isLimited({ tokensPerDay, costPerDay }: Budget): boolean {
  return tokensPerDay !== null || costPerDay !== null
}
