/** The budgets of all users who have one. */
import { isLimited, userBudget } from '../../../config/schema/budgets.ts'
import { builder } from '../builder.ts'
import { connectionOf, fromFront } from '../paging/connection-type.ts'
import { cutByName, pageByName } from '../paging/page-by-name.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { BudgetType, readBudgets } from './budget.ts'

const BudgetConnection = connectionOf(BudgetType, { name: 'Budget', order: 'by the name of the user' })

builder.queryField('budgets', (t) =>
  t.field({
    type: BudgetConnection,
    nullable: true,
    authScopes: { admin: true },
    description: 'What each user with a budget may use today and has used. For admins.',
    args: fromFront(t),
    resolve: async (_root, args, context, info) => {
      const request = readPageRequest('budgets1', args, info)
      const config = context.config.current()
      const limited = [...config.users.values()].filter(({ name }) => isLimited(userBudget(config, name)))
      const names = cutByName(limited, request).map(({ name }) => name)
      return pageByName('budgets1', request, await readBudgets(context, names))
    },
  }),
)
