/** What was learned more than once, in other words: one of each group is promoted, and the others go with it. */
import type { ReactNode } from 'react'
import { useRead } from '../../../data/use-read.ts'
import { AlikeDocument, type AlikeQuery, type LearningDecisionInput } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Badge } from '../../../ui/display/badge.tsx'
import { KeyHints } from '../../../ui/display/key-hints.tsx'
import { Time } from '../../../ui/display/time.tsx'
import { ListPane } from '../../../ui/picking/list-pane.tsx'
import { PickRow } from '../../../ui/picking/pick-row.tsx'
import { usePicking } from '../../../ui/picking/use-picking.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { notify } from '../../../ui/feedback/toasts.ts'
import { ScopeBadge } from '../scope-badge.tsx'
import { waitsToReplace } from './known-facts.ts'
import type { Curate } from './use-curate.ts'

const KEYS = [
  ['↑ ↓', 'move'],
  ['p', 'promote one, discard the others'],
  ['d', 'discard all'],
  ['u', 'undo'],
] as const

interface Group {
  readonly id: string
  /** Of the fact; null: its newest learning's own words. */
  readonly text: string | null
  readonly problem: string | null
  readonly learnings: NonNullable<AlikeQuery['learningGroups']>[number]['learnings']
}

const nothingAlike = (
  <EmptyState icon="memory" title="No similar texts are waiting">
    Of the newest 200 that wait, no two say nearly the same. “Waiting” lists them one by one.
  </EmptyState>
)

export function Alike({ bar, curate }: { readonly bar: ReactNode; readonly curate: Curate }) {
  const { data, isPending, error } = useRead(AlikeDocument, {})
  const groups = (data?.learningGroups ?? []).map((group): Group => ({ ...group, id: group.learnings[0]?.id ?? '' }))
  const promote = ([group]: readonly Group[]): void => {
    if (group === undefined) return
    const openQuestion = openQuestionOf(group)
    if (openQuestion === null) void curate.decide(decisionsOf(group))
    else notify({ tone: 'bad', text: openQuestion })
  }
  const discard = ([group]: readonly Group[]): void => {
    if (group !== undefined) void curate.decide(group.learnings.map(({ id }) => ({ id, verdict: 'DISCARD' })))
  }
  const picking = usePicking(groups, ({ id }) => id, {
    p: () => promote(picking.chosen),
    d: () => discard(picking.chosen),
    u: () => void curate.undo(),
  })
  const list = { rows: groups, isLoading: isPending, error, hasMore: false, loadMore: () => {}, isLoadingMore: false }
  return (
    <ListPane
      what="learnings that are alike"
      list={list}
      bar={bar}
      empty={nothingAlike}
      rowHeight={170}
      foot={<KeyHints keys={KEYS} />}
    >
      {(group) => (
        <PickRow id={group.id} label={group.text ?? group.learnings[0]?.content ?? ''} picking={picking} hasBox={false}>
          <GroupCard group={group} />
          <div className="pick-actions">
            {openQuestionOf(group) === null && (
              <Button small kind="main" onClick={() => promote([group])}>
                Promote one, discard the others
              </Button>
            )}
            <Button small kind="danger" onClick={() => discard([group])}>
              Discard all
            </Button>
          </div>
        </PickRow>
      )}
    </ListPane>
  )
}

/** Why a person must decide its learnings one by one; null: one key decides all of them. */
function openQuestionOf({ problem, learnings }: Group): string | null {
  const where = 'Decide them one by one in “Waiting”.'
  if (problem !== null) return `No single text says everything: ${problem}. ${where}`
  return learnings.some(waitsToReplace) ? `One of them would replace a fact. ${where}` : null
}

function decisionsOf({ text, learnings }: Group): readonly LearningDecisionInput[] {
  return learnings.map(({ id }, index) =>
    index === 0 ? { id, verdict: 'PROMOTE', ...(text === null ? {} : { text }) } : { id, verdict: 'DISCARD' },
  )
}

function GroupCard({ group }: { readonly group: Group }) {
  const { text, learnings } = group
  const openQuestion = openQuestionOf(group)
  return (
    <div className="alike">
      {text !== null && <p className="learning-text foreign">{text}</p>}
      {openQuestion !== null && <p className="small soft">{openQuestion}</p>}
      <ul className="alike-learnings">
        {learnings.map((learning) => (
          <li key={learning.id} className="pick-line small">
            <span className="foreign">{learning.content}</span>
            <ScopeBadge of={learning} />
            {learning.user !== null && <Badge>{learning.user}</Badge>}
            <span className="faint">
              <Time at={learning.createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
