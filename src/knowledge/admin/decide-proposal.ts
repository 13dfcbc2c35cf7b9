/** `acceptProposal`, `rejectProposal`: an admin decides about what the summarizer proposes, as a whole. */
import type { Viewer } from '../../core/identity.ts'
import { invalidInput, notFound, refuseInput, type Refusal } from '../../core/refusal.ts'
import { normalText } from '../../core/text/normal-text.ts'
import {
  storeAcceptedProposal,
  storeRejectedProposal,
  type ProposalDecided,
} from '../../store/proposals/decide-proposal.ts'
import { announced, editorOf, type KnowledgeContext } from './knowledge-context.ts'
import { isIdOf, knowledgeText, knowledgeTextIssues, remarkOf } from './knowledge-text.ts'

/** More steps than a proposal has. */
export const MAX_STEPS = 50

export interface AcceptProposalInput {
  readonly id: string
  /** What a step makes the facts say, in place of what is proposed. */
  readonly texts?: readonly { readonly step: number; readonly content: string }[] | null | undefined
}

export async function acceptProposal(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, texts }: AcceptProposalInput,
): Promise<ProposalDecided | Refusal> {
  const given = texts ?? []
  if (given.length > MAX_STEPS) return invalidInput(['texts'], `must be at most ${MAX_STEPS}, not ${given.length}`)
  const issues = given.flatMap(({ content }, n) => knowledgeTextIssues(['texts', String(n), 'content'], content))
  const refusal = refuseInput(issues)
  if (refusal !== null) return refusal
  const byStep = new Map(given.map(({ step, content }) => [step, knowledgeText(context, content)]))
  if (new Set([...byStep.values()].map(({ norm }) => norm)).size < given.length)
    return invalidInput(['texts'], 'must be one text for each step, and no two that say the same')
  if (!isIdOf('proposal', id)) return notFound('proposal', id)
  const acceptance = { id, texts: byStep, normalized: (content: string) => ({ content, norm: normalText(content) }) }
  return announced(context, await storeAcceptedProposal(context.database, editorOf(context, viewer), acceptance))
}

export interface RejectProposalInput {
  readonly id: string
  /** For the audit. */
  readonly reason?: string | null | undefined
}

export async function rejectProposal(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, reason }: RejectProposalInput,
): Promise<ProposalDecided | Refusal> {
  const refusal = refuseInput(knowledgeTextIssues(['reason'], reason))
  if (refusal !== null) return refusal
  if (!isIdOf('proposal', id)) return notFound('proposal', id)
  const rejection = { id, reason: remarkOf(context, reason) }
  return announced(context, await storeRejectedProposal(context.database, editorOf(context, viewer), rejection))
}
