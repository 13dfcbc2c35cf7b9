/** What is to run and why it is asked, and where it comes from. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { describeCall } from '../../../../src/core/plan/what-runs.ts'
import { harmless } from '../../../../src/core/text/harmless.ts'
import type { ApprovalRowFragment } from '../../generated/graphql.ts'
import { Badge } from '../../ui/display/badge.tsx'
import { Code } from '../../ui/display/code.tsx'
import { Time } from '../../ui/display/time.tsx'

interface WhatRunsProps {
  readonly approval: ApprovalRowFragment
  readonly state: ReactNode
}

export function WhatRuns({ approval, state }: WhatRunsProps) {
  const { kind, reason, createdAt, session, task, turn } = approval
  return (
    <>
      <div className="pick-line">
        <Badge>{kind === 'PLAN' ? 'whole plan' : task.type === 'EXEC' ? 'command' : task.type.toLowerCase()}</Badge>
        <Link href={`/sessions/${encodeURIComponent(session.id)}`} className="cut foreign">
          {session.title}
        </Link>
        <span className="faint small">
          {turn.message.user === null ? '' : `${turn.message.user} · `}
          <Time at={createdAt} />
        </span>
        <span className="push">{state}</span>
      </div>
      {kind === 'PLAN' ? <WholePlan plan={task.plan} /> : <OneTask task={task} />}
      <p className="soft small foreign sentence">{reason}</p>
    </>
  )
}

function OneTask({ task }: Pick<ApprovalRowFragment, 'task'>) {
  const name = task.skill ?? task.tool
  if (task.type === 'EXEC')
    return (
      <pre className="approval-code foreign">
        <Code text={task.detail} />
      </pre>
    )
  return (
    <>
      <p className="foreign">
        {name !== null && <strong className="mono">{name}</strong>} {harmless(task.detail)}
      </p>
      {task.args !== null && (
        <pre className="approval-code foreign">
          <Code text={JSON.stringify(task.args, null, 2)} />
        </pre>
      )}
    </>
  )
}

function WholePlan({ plan }: { readonly plan: ApprovalRowFragment['task']['plan'] }) {
  return (
    <>
      <p className="foreign">{harmless(plan.goal)}</p>
      <ol className="approval-plan">
        {plan.tasks.map((task) => (
          <li key={task.id} className={task.type === 'MSG' ? 'foreign' : 'foreign mono'}>
            <Code text={describeCall(task)} />
          </li>
        ))}
      </ol>
    </>
  )
}
