/**
 * Decides about learnings and takes decisions back, the last ones first. What became a fact is undone as a whole, with
 * the fact that it replaced; a learning that was discarded or asked about is opened again.
 */
import { useRef } from 'react'
import { run } from '../../../data/client.ts'
import { queryClient } from '../../../data/query-client.ts'
import { problemOf } from '../../../data/use-change.ts'
import { keyOf } from '../../../data/use-read.ts'
import {
  AlikeDocument,
  DecideLearningsDocument,
  FactsDocument,
  InboxDocument,
  QuestionsDocument,
  UndoChangeDocument,
  type DecideLearningsMutation,
  type LearningDecisionInput,
} from '../../../generated/graphql.ts'
import { notify } from '../../../ui/feedback/toasts.ts'

/** So many does the API take in one call. */
const MOST = 200

type Results = Extract<DecideLearningsMutation['decideLearnings'], { results: unknown }>['results']

interface Done {
  readonly id: string
  /** Of the fact that came of it; null: it is opened again. */
  readonly changeId: string | null
}

export interface Curate {
  /** Whether all of them were decided; the person has been told of the others. */
  readonly decide: (decisions: readonly LearningDecisionInput[]) => Promise<boolean>
  readonly undo: () => Promise<void>
}

interface Shown {
  readonly hide: (ids: readonly string[]) => void
  readonly show: (ids: readonly string[]) => void
}

export function useCurate({ hide, show }: Shown): Curate {
  // In the order in which they were pressed, also those whose answer is still to come.
  const batches = useRef<readonly Promise<readonly Done[]>[]>([])
  const takeBackBatch = async (batch: Promise<readonly Done[]> | undefined): Promise<void> => {
    if (batch === undefined || !batches.current.includes(batch))
      return notify({ tone: 'plain', text: 'There is nothing to undo.' })
    batches.current = batches.current.filter((one) => one !== batch)
    const done = await batch
    const undone = await takeBack(done)
    const left = done.filter(({ id }) => !undone.includes(id))
    if (left.length > 0) batches.current = [...batches.current, Promise.resolve(left)]
    show(undone)
    readAgain()
    if (undone.length > 0) notify({ tone: 'good', text: `${countOf(undone.length)} taken back.` })
  }
  const decide = async (decisions: readonly LearningDecisionInput[]): Promise<boolean> => {
    if (decisions.length === 0) return true
    const ids = decisions.map(({ id }) => id)
    hide(ids)
    const batch = sendAll(decisions).then((results) => results.flatMap(doneOf))
    const canBeUndone = decisions.every(({ verdict }) => verdict !== 'REOPEN')
    if (canBeUndone) batches.current = [...batches.current, batch]
    const decided = await batch
    show(ids.filter((id) => !decided.some((one) => one.id === id)))
    readAgain()
    if (decided.length > 0) {
      const text = `${countOf(decided.length)} ${WORDS[decisions[0]?.verdict ?? 'PROMOTE']}.`
      const action = { label: 'Undo', run: () => void takeBackBatch(batch) }
      notify({ tone: 'good', text, ...(canBeUndone ? { action } : {}) })
    } else batches.current = batches.current.filter((one) => one !== batch)
    return decided.length === decisions.length
  }
  return { decide, undo: () => takeBackBatch(batches.current.at(-1)) }
}

const WORDS = { PROMOTE: 'promoted', DISCARD: 'discarded', ASK: 'asked about', REOPEN: 'opened again' } as const

function countOf(count: number): string {
  return count === 1 ? 'One learning' : `${count} learnings`
}

function readAgain(): void {
  for (const list of [InboxDocument, AlikeDocument, FactsDocument, QuestionsDocument])
    void queryClient.invalidateQueries({ queryKey: keyOf(list) })
}

async function sendAll(decisions: readonly LearningDecisionInput[]): Promise<Results> {
  const results: Results[number][] = []
  try {
    for (let begin = 0; begin < decisions.length; begin += MOST) {
      const { decideLearnings } = await run(DecideLearningsDocument, {
        decisions: decisions.slice(begin, begin + MOST),
      })
      if ('results' in decideLearnings) results.push(...decideLearnings.results)
      else notify({ tone: 'bad', text: decideLearnings.problem })
    }
  } catch (error) {
    notify({ tone: 'bad', text: problemOf(error) })
  }
  return results
}

function doneOf({ learningId, result }: Results[number]): Done[] {
  if ('learning' in result) return [{ id: learningId, changeId: result.learning?.fact?.changeId ?? null }]
  notify({ tone: 'bad', text: result.problem })
  return []
}

/** The ids of those that wait again. */
async function takeBack(last: readonly Done[]): Promise<readonly string[]> {
  const reopened = last.filter(({ changeId }) => changeId === null)
  const results =
    reopened.length === 0 ? [] : await sendAll(reopened.map(({ id }) => ({ id, verdict: 'REOPEN' as const })))
  const undone = results.flatMap(doneOf).map(({ id }) => id)
  for (const { id, changeId } of last) {
    if (changeId === null) continue
    try {
      const { undoChange } = await run(UndoChangeDocument, { changeId })
      if ('problem' in undoChange) notify({ tone: 'bad', text: undoChange.problem })
      else undone.push(id)
    } catch (error) {
      notify({ tone: 'bad', text: problemOf(error) })
    }
  }
  return undone
}
