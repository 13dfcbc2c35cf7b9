/**
 * Approvals in a chat that knows only texts: the answer says what waits and how to decide, and the next message
 * decides.
 */
import { whatRuns } from '../../core/plan/what-runs.ts'
import type { Decision } from '../protocols/decide.ts'
import type { TurnData } from '../protocols/turn-documents.ts'
import type { Ask, SpokenText } from './ask.ts'
import { invalid } from './openai-error.ts'

const OPENING = 'Waiting for a decision.'
const KEPT = ' Your message is kept, and comes after it.'
const APPROVAL_ID = /appr_[0-9a-z]{26}/g
const COMMAND = /^\/(approve|deny)(?=\s|$)([^]*)$/

/** What is said instead of an answer. */
export function askForDecision({ status, session }: TurnData): string {
  const behind = status === 'QUEUED' ? KEPT : ''
  const lines = session.approvals.map((approval) => {
    const { id, reason, kind } = approval
    const what = whatRuns(approval).map((line) => `\`${line}\``)
    return `- \`${id}\`: ${kind === 'PLAN' ? 'the whole plan, ' : ''}${what.join(', then ')} (${reason})`
  })
  return `${OPENING}${behind}\n\n${lines.join('\n')}\n\nAnswer \`/approve\` to let it run, or \`/deny <reason>\`.`
}

/**
 * The decisions that a message brings; null: it is an ordinary message. Without ids it means those that the answer
 * before it has shown, never what is asked for meanwhile.
 */
export function readDecisions({ text, history, user }: Pick<Ask, 'text' | 'history' | 'user'>): Decision[] | null {
  const [, verb, rest = ''] = COMMAND.exec(text.trim()) ?? []
  if (verb === undefined) return null
  const shown = history.at(-1)?.role === 'assistant' ? history.at(-1)?.text : ''
  const ids = rest.match(APPROVAL_ID) ?? shown?.match(APPROVAL_ID)
  if (ids == null) throw invalid(`Name what you mean: "/${verb} appr_…".`, 'messages')
  const note = rest
    .replaceAll(APPROVAL_ID, '')
    .replaceAll(/^[\s,]+/g, '')
    .trim()
  return [...new Set(ids)].map((id) => ({
    id,
    approve: verb === 'approve',
    ...(note === '' ? {} : { note }),
    ...(user === null ? {} : { user }),
  }))
}

/** The message that waits behind what a decision is about, as an answer has said; null: none. */
export function keptMessage(history: readonly SpokenText[]): string | null {
  const last = history.findLastIndex(({ role, text }) => role === 'user' && !COMMAND.test(text.trim()))
  const isKept = history.slice(last + 1).some(({ text }) => text.includes(OPENING + KEPT))
  return (isKept ? history[last]?.text : null) ?? null
}

/** What was said, without decisions and without what asked for them. */
export function withoutDecisions(history: readonly SpokenText[]): SpokenText[] {
  return history.flatMap(({ role, text }): SpokenText[] => {
    if (role === 'user') return COMMAND.test(text.trim()) ? [] : [{ role, text }]
    const at = text.lastIndexOf(OPENING)
    const said = (at < 0 ? text : text.slice(0, at)).trim()
    return said === '' ? [] : [{ role, text: said }]
  })
}
