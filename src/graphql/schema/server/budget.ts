/** What a user may use in a day by `[budgets]`, and has used. What a session may use is told by its turns that wait. */
import { createContextCache } from '@pothos/core'
import { readSpending, type UserSpending } from '../../../audit/budget.ts'
import type { Budget as Limits } from '../../../config/config.ts'
import { isLimited, userBudget } from '../../../config/schema/budgets.ts'
import type { GraphQLContext } from '../../context.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { toUserNode, UserType } from '../people/user.ts'
import { MoneyType } from '../values/money.ts'

export interface Budget {
  /** Of the user. */
  readonly name: string
  readonly limits: Limits
  readonly used: UserSpending
  readonly resetsAt: Date
}

export const BudgetType = builder.objectRef<Budget>('Budget').implement({
  description:
    'What the turns of a user may use in a day (UTC), and have used. Beyond it a turn waits until the day ends or an admin ' +
    'raises the budget. Calls that are under way are not counted yet.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    user: t.field({
      type: UserType,
      nullable: true,
      description: 'Whose it is; null when the user was removed meanwhile.',
      resolve: ({ name }, _args, { config }) => {
        const user = config.current().users.get(name)
        return user === undefined ? null : toUserNode(user)
      },
    }),
    tokensPerDay: t.field({
      type: 'Count',
      nullable: true,
      description: 'Tokens, read and written together; null: as many as they need.',
      resolve: ({ limits }) => limits.tokensPerDay,
    }),
    tokensUsed: t.field({ type: 'Count', description: 'Of them, today.', resolve: ({ used }) => used.tokens }),
    costPerDay: t.field({
      type: MoneyType,
      nullable: true,
      description: 'What the calls may cost; null: whatever they do.',
      resolve: ({ limits }) => (limits.costPerDay === null ? null : { amount: limits.costPerDay }),
    }),
    costUsed: t.field({
      type: MoneyType,
      description: 'Of it, today, by the prices at each call.',
      resolve: ({ used }) => ({ amount: used.cost }),
    }),
    usedUp: t.boolean({ description: 'The next turn waits.', resolve: isUsedUp }),
    resetsAt: t.expose('resetsAt', { type: 'DateTime', description: 'When the next day begins.' }),
  }),
})

function isUsedUp({ limits: { tokensPerDay, costPerDay }, used }: Budget): boolean {
  return (tokensPerDay !== null && used.tokens >= tokensPerDay) || (costPerDay !== null && used.cost >= costPerDay)
}

/** Of those of these users who have one, in the order given; by one statement, or none. */
export async function readBudgets(
  { database, config }: Pick<GraphQLContext, 'database' | 'config'>,
  userNames: readonly string[],
): Promise<Budget[]> {
  const current = config.current()
  const limited = userNames.filter((name) => isLimited(userBudget(current, name)))
  if (limited.length === 0) return []
  const { users, resetsAt } = await readSpending(database, limited)
  return users.map((used) => ({ name: used.userName, limits: userBudget(current, used.userName), used, resetsAt }))
}

/** Read once in an operation, however often it is asked for there. */
export const budgetOfViewer = createContextCache(async (context: GraphQLContext): Promise<Budget | null> => {
  const { user } = context.viewer
  const [own = null] = user === null ? [] : await readBudgets(context, [user.name])
  return own
})
