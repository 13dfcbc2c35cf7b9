/** A proposal: what each of its steps would make of the facts before it. */
import { Link } from 'wouter'
import type { ProposalRowFragment } from '../../../generated/graphql.ts'
import { Status } from '../../../ui/display/badge.tsx'
import { Diff } from '../../../ui/display/diff.tsx'
import { Time } from '../../../ui/display/time.tsx'

export function ProposalCard({ proposal }: { readonly proposal: ProposalRowFragment }) {
  const { status, createdAt, decidedBy, steps } = proposal
  return (
    <>
      {steps.map(({ step, operation, facts, after, reason }) => (
        <div key={step} className="learning">
          <div className="learning-said">
            <p className="learning-text foreign">{after ?? `Drop: ${reason ?? ''}`}</p>
            <p className="small faint">{operation.toLowerCase()}</p>
          </div>
          <ul className="learning-near small" aria-label="Before">
            {facts.map(({ before, fact }) => (
              <li key={fact.id}>
                <Link href={`/memory/facts/${fact.id}`} className="learning-fact">
                  {after === null ? <span className="foreign">{before}</span> : <Diff before={before} after={after} />}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <div className="pick-line small faint">
        <Status status={status} />
        <Time at={createdAt} />
        {decidedBy !== null && <span className="foreign">by {decidedBy.name}</span>}
      </div>
    </>
  )
}
