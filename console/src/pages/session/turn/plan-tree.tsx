/** A plan: what it is for, why it replaced the one before, and its tasks. */
import type { PlanState } from '@factotum/client'
import { TaskTree } from './task-tree.tsx'
import type { TaskDetails } from './use-turn-details.ts'

interface PlanTreeProps {
  readonly plan: PlanState
  readonly tasks: readonly TaskDetails[]
  /** Then its number says nothing. */
  readonly isOnly: boolean
}

export function PlanTree({ plan, tasks, isOnly }: PlanTreeProps) {
  const done = plan.tasks.filter(({ status }) => status === 'DONE').length
  return (
    <section className="plan">
      <header className="plan-head">
        <h2>
          {isOnly ? 'Plan' : `Plan ${plan.attempt}`}{' '}
          <span className="faint">
            {done} of {plan.tasks.length}
          </span>
        </h2>
        {plan.replanReason !== null && plan.replanReason !== undefined && (
          <p className="small plan-reason foreign">Planned anew: {plan.replanReason}</p>
        )}
        <p className="soft small foreign">{plan.goal}</p>
      </header>
      <ol className="plan-tasks">
        {plan.tasks.map((task) => (
          <li key={task.id}>
            <TaskTree
              task={task}
              details={tasks.find(({ id }) => id === task.id) ?? null}
              isAll={plan.tasks.length === 1 && task.type === 'TOOL'}
            />
          </li>
        ))}
      </ol>
    </section>
  )
}
