/** What was learned, where, and why it waits; beside it the facts nearest to it, with what it says otherwise. */
import { Link } from 'wouter'
import type { LearningRowFragment } from '../../../generated/graphql.ts'
import { Badge, Status } from '../../../ui/display/badge.tsx'
import { Diff } from '../../../ui/display/diff.tsx'
import { Time } from '../../../ui/display/time.tsx'
import { ScopeBadge } from '../scope-badge.tsx'
import { knownFacts, waitsToReplace } from './known-facts.ts'

const MOST_NEAR = 3

/** Why it is held, in the words of docs/curation.md. */
const FLAGS: Readonly<Record<LearningRowFragment['flags'][number], string>> = {
  AGENT: 'about the agent',
  ORDER: 'reads like an order',
  PRIVATE: 'private',
  RECALLED: 'repeats a fact',
  REJECTED: 'was rejected before',
  REMARK: 'true for today',
  REOPENED: 'opened again',
  REPLACES: 'replaces a fact',
  RIGHTS: 'about rights',
  SECRET: 'may hold a secret',
  TEACHER: 'held by the policy',
  UNUSABLE: 'not a usable sentence',
}

export function LearningCard({ learning }: { readonly learning: LearningRowFragment }) {
  const { number, content, source, user, session, createdAt, flags, reason, status, decidedBy } = learning
  return (
    <div className="learning">
      <div className="learning-said">
        <p className="learning-text foreign">{content}</p>
        <div className="pick-line small faint">
          {status !== 'PENDING' && <Status status={status} />}
          {flags.filter(isTelling).map((flag) => (
            <Badge key={flag} tone="warn">
              {FLAGS[flag]}
            </Badge>
          ))}
          <ScopeBadge of={learning} />
          <span>
            #{number} · {source.toLowerCase()}
            {user !== null && <span className="foreign"> · {user}</span>} · <Time at={createdAt} />
          </span>
          <Link href={`/sessions/${encodeURIComponent(session.id)}`} className="cut foreign">
            {session.title}
          </Link>
          {decidedBy !== null && <span className="foreign">by {decidedBy.name}</span>}
        </div>
        {reason !== null && <p className="small soft foreign">{reason}</p>}
      </div>
      <NearFacts learning={learning} />
    </div>
  )
}

/** What waits because all of it does has a reason that says so. */
function isTelling(flag: LearningRowFragment['flags'][number]): boolean {
  return flag !== 'TEACHER'
}

function NearFacts({ learning }: { readonly learning: LearningRowFragment }) {
  const near = knownFacts(learning).slice(0, MOST_NEAR)
  if (near.length === 0) return <p className="small faint learning-near">No similar fact.</p>
  return (
    <ul className="learning-near small" aria-label="Facts nearest to it">
      {near.map((fact) => (
        <li key={fact.id}>
          <Link href={`/memory/facts/${fact.id}`} className="learning-fact">
            <span className="unseen">The fact, with what was learned: </span>
            <Diff before={fact.content} after={learning.content} />
          </Link>
          {fact.invalidatedAt !== null && <Badge>not in use</Badge>}
          {fact.id === learning.replacesFact?.id && waitsToReplace(learning) && (
            <Badge tone="warn">would be replaced</Badge>
          )}
        </li>
      ))}
    </ul>
  )
}
