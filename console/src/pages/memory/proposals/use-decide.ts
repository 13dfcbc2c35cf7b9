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
import { notify } from '../../../ui/feedback/toasts.ts'

export interface DecideProposals {
  /** Whether all of them were accepted; the person has been told of the others. */
  readonly accept: (inputs: readonly AcceptProposalInput[]) => Promise<boolean>
  readonly reject: (ids: readonly string[]) => Promise<void>
  /** `changeId`: what came of one; the last that was accepted here when left out. */
  readonly undo: (changeId?: string) => Promise<void>
}

interface Accepted {
  readonly id: string
  readonly changeId: string
}

export function useDecide({ hide, show }: Pick<Hidden<unknown>, 'hide' | 'show'>): DecideProposals {
  // In the order in which they were pressed, also those whose answer is still to come.
  const batches = useRef<readonly Promise<readonly Accepted[]>[]>([])
  const takeBack = async (batch: readonly Accepted[]): Promise<readonly Accepted[]> => {
    const undone: Accepted[] = []
    for (const one of batch.toReversed())
      if ((await sent(run(UndoChangeDocument, { changeId: one.changeId }), (data) => data.undoChange)) !== null)
        undone.push(one)
    show(undone.map(({ id }) => id))
    readAgain()
    if (undone.length === batch.length) notify({ tone: 'good', text: 'The facts are as they were.' })
    else if (undone.length > 0) notify({ tone: 'plain', text: `${undone.length} of ${batch.length} undone.` })
    return batch.filter((one) => !undone.includes(one))
  }
  const undoBatch = async (batch: Promise<readonly Accepted[]> | undefined): Promise<void> => {
    if (batch === undefined || !batches.current.includes(batch))
      return notify({ tone: 'plain', text: 'There is nothing to undo.' })
    batches.current = batches.current.filter((one) => one !== batch)
    const left = await takeBack(await batch)
    if (left.length > 0) batches.current = [...batches.current, Promise.resolve(left)]
  }
  const undo = async (changeId?: string): Promise<void> => {
    if (changeId === undefined) await undoBatch(batches.current.at(-1))
    else await takeBack([{ id: '', changeId }])
  }
  const accept = async (inputs: readonly AcceptProposalInput[]): Promise<boolean> => {
    hide(inputs.map(({ id }) => id))
    const all = inputs.map(async (input) => {
      const made = await sent(run(AcceptProposalDocument, { input }), (data) => data.acceptProposal)
      if (made === null) show([input.id])
      return made === null ? null : { id: input.id, changeId: made.proposal.changeId }
    })
    const batch = Promise.all(all).then((made) =>
      made.flatMap((one): Accepted[] => (one?.changeId == null ? [] : [{ id: one.id, changeId: one.changeId }])),
    )
    batches.current = [...batches.current, batch]
    const done = (await Promise.all(all)).filter((one) => one !== null)
    if ((await batch).length === 0) batches.current = batches.current.filter((one) => one !== batch)
    readAgain()
    const action = { label: 'Undo', run: () => void undoBatch(batch) }
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
