/**
 * Decides about proposals, and takes back what was accepted, the last first. They are gone for the person at once, so
 * that the next key means the next one.
 */
import { useRef } from 'react'
import { run } from '../../../data/client.ts'
import { queryClient } from '../../../data/query-client.ts'
import { problemOf } from '../../../data/use-change.ts'
import { keyOf } from '../../../data/use-read.ts'
import {
  AcceptProposalDocument,
  FactsDocument,
  ProposalsDocument,
  RejectProposalDocument,
  UndoChangeDocument,
  type AcceptProposalInput,
} from '../../../generated/graphql.ts'
import type { Hidden } from '../../../ui/picking/use-hidden.ts'
import { notify } from '../../../ui/tell/toasts.ts'

export interface DecideProposals {
  /** Whether all of them were accepted; the person has been told of the others. */
  readonly accept: (inputs: readonly AcceptProposalInput[]) => Promise<boolean>
  readonly reject: (ids: readonly string[]) => Promise<void>
  /** `changeId`: what came of one; the last that was accepted here when left out. */
  readonly undo: (changeId?: string) => Promise<void>
}

interface Accepted {
  readonly id: string
  readonly changeId: string | null
}

export function useDecide({ hide, show }: Pick<Hidden<unknown>, 'hide' | 'show'>): DecideProposals {
  // In the order in which they were pressed, also those whose answer is still to come.
  const accepted = useRef<readonly Promise<Accepted | null>[]>([])
  const undo = async (changeId?: string): Promise<void> => {
    const last = changeId === undefined ? ((await accepted.current.at(-1)) ?? null) : { id: '', changeId }
    if (changeId === undefined) accepted.current = accepted.current.slice(0, -1)
    if (last?.changeId == null) return notify({ tone: 'plain', text: 'There is nothing to undo.' })
    if (!(await sent(run(UndoChangeDocument, { changeId: last.changeId }), (data) => data.undoChange))) return
    show([last.id])
    readAgain()
    notify({ tone: 'good', text: 'The facts are as they were.' })
  }
  const accept = async (inputs: readonly AcceptProposalInput[]): Promise<boolean> => {
    hide(inputs.map(({ id }) => id))
    const all = inputs.map(async (input): Promise<Accepted | null> => {
      const made = await sent(run(AcceptProposalDocument, { input }), (data) => data.acceptProposal)
      if (made === null) show([input.id])
      return made === null ? null : { id: input.id, changeId: made.proposal.changeId }
    })
    accepted.current = [...accepted.current, ...all]
    const done = (await Promise.all(all)).filter((one) => one !== null)
    readAgain()
    const action = { label: 'Undo', run: () => void undo() }
    if (done.length > 0) notify({ tone: 'good', text: `${countOf(done.length)} accepted.`, action })
    return done.length === inputs.length
  }
  const reject = async (ids: readonly string[]): Promise<void> => {
    hide(ids)
    const all = ids.map(async (id) => {
      const done = await sent(run(RejectProposalDocument, { id }), (data) => data.rejectProposal)
      if (done === null) show([id])
      return done
    })
    const done = (await Promise.all(all)).filter((one) => one !== null)
    readAgain()
    if (done.length > 0) notify({ tone: 'good', text: `${countOf(done.length)} rejected.` })
  }
  return { accept, reject, undo }
}

function countOf(count: number): string {
  return count === 1 ? 'One proposal' : `${count} proposals`
}

function readAgain(): void {
  for (const list of [ProposalsDocument, FactsDocument]) void queryClient.invalidateQueries({ queryKey: keyOf(list) })
}

/** Null: it was refused or failed, and the person was told why. */
async function sent<Data, Result extends object>(
  answer: Promise<Data>,
  pick: (data: Data) => Result,
): Promise<Exclude<Result, { readonly problem: string }> | null> {
  try {
    const result = pick(await answer)
    if (!('problem' in result)) return result as Exclude<Result, { readonly problem: string }>
    notify({ tone: 'bad', text: String(result.problem) })
  } catch (error) {
    notify({ tone: 'bad', text: problemOf(error) })
  }
  return null
}
