/** Decides about approvals, each for itself; says in one notice what came of it. */
import { useMutation } from '@tanstack/react-query'
import { run } from '../../data/client.ts'
import { queryClient } from '../../data/query-client.ts'
import { problemOf } from '../../data/use-change.ts'
import { keyOf } from '../../data/use-read.ts'
import {
  DecideApprovalsDocument,
  DecidedApprovalsDocument,
  WaitingApprovalsDocument,
  type DecideApprovalInput,
  type DecideApprovalsMutation,
} from '../../generated/graphql.ts'
import { notify } from '../../ui/feedback/toasts.ts'

/** So many does the API take in one call. */
const MOST = 50

export interface Decide {
  /** The ids that were decided; the person has been told about the others. */
  readonly decide: (decisions: readonly DecideApprovalInput[]) => Promise<ReadonlySet<string>>
  readonly isDeciding: boolean
}

export function useDecide(): Decide {
  const mutation = useMutation({
    mutationFn: (decisions: readonly DecideApprovalInput[]) =>
      run(DecideApprovalsDocument, { decisions: [...decisions] }),
  })
  const decide = async (decisions: readonly DecideApprovalInput[]): Promise<ReadonlySet<string>> => {
    const decided = new Set<string>()
    try {
      for (let begin = 0; begin < decisions.length; begin += MOST) {
        const part = decisions.slice(begin, begin + MOST)
        const { decideApprovals } = await mutation.mutateAsync(part)
        for (const id of decidedIn(decideApprovals, part)) decided.add(id)
      }
    } catch (error) {
      notify({ tone: 'bad', text: problemOf(error) })
    }
    for (const list of [WaitingApprovalsDocument, DecidedApprovalsDocument])
      void queryClient.invalidateQueries({ queryKey: keyOf(list) })
    if (decided.size > 0) notify({ tone: 'good', text: summaryOf(decisions.filter(({ id }) => decided.has(id))) })
    return decided
  }
  return { decide, isDeciding: mutation.isPending }
}

function decidedIn(
  answer: DecideApprovalsMutation['decideApprovals'],
  asked: readonly DecideApprovalInput[],
): readonly string[] {
  if (answer.__typename !== 'DecideApprovalsPayload') {
    notify({ tone: 'bad', text: answer.problem })
    return []
  }
  return answer.results.flatMap((result, index) => {
    if (result.__typename === 'DecideApprovalPayload') return [asked[index]?.id ?? '']
    notify({ tone: 'bad', text: result.problem })
    return []
  })
}

function summaryOf(decisions: readonly DecideApprovalInput[]): string {
  const approved = decisions.filter(({ approve }) => approve).length
  const denied = decisions.length - approved
  const parts = [...(approved > 0 ? [`${approved} approved`] : []), ...(denied > 0 ? [`${denied} denied`] : [])]
  return `${parts.join(', ')}.`
}
