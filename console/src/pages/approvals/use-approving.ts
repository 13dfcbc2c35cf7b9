/**
 * What a person is about to decide: approving is done at once, denying and editing ask first, since a decision
 * stands.
 */
import { useState } from 'react'
import type { ApprovalRowFragment, ApprovalScope } from '../../generated/graphql.ts'
import { useDecide, type Decide } from './use-decide.ts'

interface Shown {
  readonly hide: (ids: readonly string[]) => void
  readonly show: (ids: readonly string[]) => void
}

type Rows = readonly ApprovalRowFragment[]

export interface Approving extends Decide {
  readonly approve: (rows: Rows, scope: ApprovalScope) => void
  readonly deny: (rows: Rows) => void
  /** Of the first. */
  readonly edit: (rows: Rows) => void
  /** What is asked about now. */
  readonly denied: Rows
  readonly edited: ApprovalRowFragment | null
  readonly leave: () => void
}

export function useApproving({ hide, show }: Shown): Approving {
  const { decide: send, isDeciding } = useDecide()
  const decide: Decide['decide'] = async (decisions) => {
    const ids = decisions.map(({ id }) => id)
    hide(ids)
    const decided = await send(decisions)
    show(ids.filter((id) => !decided.has(id)))
    return decided
  }
  const [denied, setDenied] = useState<Rows>([])
  const [edited, setEdited] = useState<ApprovalRowFragment | null>(null)
  return {
    decide,
    isDeciding,
    denied,
    edited,
    approve: (rows, scope) => {
      const decisions = rows
        .filter(({ viewerCan }) => viewerCan.decide)
        .map(({ id, kind }) => ({ id, approve: true, ...(kind === 'PLAN' ? {} : { scope }) }))
      if (decisions.length > 0) void decide(decisions)
    },
    deny: (rows) => setDenied(rows.filter(({ viewerCan }) => viewerCan.decide)),
    edit: ([row]) => {
      if (row?.viewerCan.edit === true) setEdited(row)
    },
    leave: () => {
      setDenied([])
      setEdited(null)
    },
  }
}
