/** What users with a budget have used today. */
import { usePages } from '../../data/use-read.ts'
import { BudgetsDocument, type BudgetsQuery } from '../../generated/graphql.ts'
import { Badge } from '../../ui/display/badge.tsx'
import { Card } from '../../ui/display/card.tsx'
import { Time } from '../../ui/display/time.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { amountText } from './amount-text.ts'

type Budget = NonNullable<BudgetsQuery['budgets']>['edges'][number]['node']

export function Budgets() {
  const list = usePages(BudgetsDocument, { first: 50 }, ({ budgets }) => budgets)
  return (
    <Card title="Budgets today">
      {!list.isLoading && list.rows.length === 0 && (
        <p className="soft">No budget is set. Budgets are set under [budgets] in config.toml.</p>
      )}
      <ul className="usage-budgets">
        {list.rows.map((budget) => (
          <BudgetBar key={budget.user?.id ?? budget.resetsAt} budget={budget} />
        ))}
      </ul>
      {list.hasMore && (
        <Button small kind="quiet" isBusy={list.isLoadingMore} onClick={list.loadMore}>
          More
        </Button>
      )}
    </Card>
  )
}

function BudgetBar({ budget }: { readonly budget: Budget }) {
  const { tokensPerDay, tokensUsed, costPerDay, costUsed, resetsAt, usedUp } = budget
  const user = budget.user?.name ?? 'removed'
  return (
    <li>
      <div className="pick-line">
        <strong className="foreign">{user}</strong>
        {usedUp && <Badge tone="bad">used up</Badge>}
        <span className="faint small push">
          anew <Time at={resetsAt} />
        </span>
      </div>
      {tokensPerDay !== null && (
        <Bar
          label={`Tokens of ${user}`}
          used={tokensUsed}
          of={tokensPerDay}
          text={(one) => amountText(one, 'tokens', null)}
        />
      )}
      {costPerDay !== null && (
        <Bar
          label={`Cost of ${user}`}
          used={Number(costUsed.amount)}
          of={Number(costPerDay.amount)}
          text={(one) => amountText(one, 'cost', costPerDay.currency)}
        />
      )}
    </li>
  )
}

interface BarProps {
  readonly label: string
  readonly used: number
  readonly of: number
  readonly text: (amount: number) => string
}

function Bar({ label, used, of, text }: BarProps) {
  return (
    <div className="usage-bar">
      <meter aria-label={label} min={0} max={of} high={of * 0.8} optimum={0} value={Math.min(used, of)} />
      <span className="small">{`${text(used)} of ${text(of)}`}</span>
    </div>
  )
}
