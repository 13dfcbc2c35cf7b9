/**
 * Approvals in a chat that knows only texts: the answer says what waits and how to decide, and the next message
 * decides.
 */
import type { Viewer } from '../../core/identity.ts'
import { whatRuns } from '../../core/plan/what-runs.ts'
import { harmless } from '../../core/text/harmless.ts'
import { mayDecide, type Decision } from '../protocols/decide.ts'
import type { TurnData } from '../protocols/turn-documents.ts'
import type { Ask, SpokenText } from './ask.ts'
import { invalid, type OpenAIError } from './openai-error.ts'
import type { RepeatedText } from './same-conversation.ts'

const OPENING = 'Waiting for a decision.'
const KEPT = ' Your message is kept, and comes after it.'
const APPROVAL_ID = /appr_[0-9a-z]{26}/g
const COMMAND = /^\/(approve|deny)(?=\s|$)([^]*)$/

/** An approval as it is asked for; nothing of a command begins a line so. */
const ASKED = /^- `(appr_[0-9a-z]{26})`:/

/** What is said instead of an answer. */
export function askForDecision({ status, session }: TurnData, viewer: Pick<Viewer, 'user'>): string {
  const behind = status === 'QUEUED' ? KEPT : ''
  const lines = session.approvals.map((approval) => {
    const { id, reason, kind } = approval
    const what = whatRuns(approval).map(asCode)
    const why = harmless(reason).replaceAll(/\s+/g, ' ')
    const shown = /[<`]/.test(why) ? asCode(why) : why
    return `- \`${id}\`: ${kind === 'PLAN' ? 'the whole plan, ' : ''}${what.join(', then ')} (${shown})`
  })
  const isTheirs = session.approvals.some((approval) => mayDecide(viewer, approval))
  const how = isTheirs ? 'Answer `/approve` to let it run, or `/deny <reason>`.' : 'An admin decides about it.'
  return `${OPENING}${behind}\n\n${lines.join('\n')}\n\n${how}`
}

/** In Markdown, whose signs mean nothing in it; of several lines, all begin with a space. */
function asCode(text: string): string {
  if (!/[`\n]/.test(text)) return `\`${text}\``
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return ['', fence, ...text.split('\n'), fence, ''].join('\n  ')
}

export interface Decisions {
  /** Empty: it names none, and none is known that it could mean. */
  readonly all: readonly Decision[]
  /** By the person, not by the answer before. */
  readonly areNamed: boolean
}

/**
 * The decisions that a message brings; null: it is an ordinary message. Without ids it means `asked`: what the answer
 * before it has asked for, never what is asked for meanwhile, nor what else the model or a command has named.
 */
export function readDecisions({ text, user }: Pick<Ask, 'text' | 'user'>, asked: readonly string[]): Decisions | null {
  const [, verb, rest = ''] = COMMAND.exec(text.trim()) ?? []
  if (verb === undefined) return null
  const named = rest.match(APPROVAL_ID)
  const ids = named ?? asked
  const note = rest
    .replaceAll(APPROVAL_ID, '')
    .replaceAll(/^[\s,]+/g, '')
    .trim()
  const all = [...new Set(ids)].map((id) => ({
    id,
    approve: verb === 'approve',
    ...(note === '' ? {} : { note }),
    ...(user === null ? {} : { user }),
  }))
  return { all, areNamed: named !== null }
}

/** `waiting`: what there is to be named, as far as that is known. */
export function unnamed({ text, param }: Pick<Ask, 'text' | 'param'>, waiting: readonly string[] = []): OpenAIError {
  const [verb] = text.trim().split(/\s/)
  return invalid(`Name what you mean: "${verb} ${waiting.join(' ') || 'appr_…'}".`, param)
}

/** The approvals that an answer asks for. */
export function askedBy(last: SpokenText | undefined): readonly string[] {
  const at = last?.role === 'assistant' ? placeOfNotice(last.text) : -1
  if (last === undefined || at < 0) return []
  const lines = last.text.slice(at).split('\n')
  return lines.flatMap((line) => ASKED.exec(line)?.[1] ?? [])
}

/** Where an answer asks for decisions: at the last line that begins so, as none of a command does; -1: nowhere. */
function placeOfNotice(text: string): number {
  const at = text.lastIndexOf(`\n${OPENING}`)
  if (at >= 0) return at + 1
  return text.startsWith(OPENING) ? 0 : -1
}

/** The messages of which an answer has said that they are kept. */
export function keptMessages(history: readonly SpokenText[]): string[] {
  return history.flatMap(({ role, text }, index) => {
    const answer = role === 'user' ? history[index + 1] : undefined
    return answer?.role === 'assistant' && answer.text.includes(OPENING + KEPT) ? [text] : []
  })
}

/** What was said, without decisions and without what asked for them. */
export function withoutDecisions(history: readonly SpokenText[]): RepeatedText[] {
  let coversDecision = false
  return history.flatMap(({ role, text }): RepeatedText[] => {
    if (role === 'user') return COMMAND.test(text.trim()) ? [] : [{ role, text, coversDecision: false }]
    const at = placeOfNotice(text)
    const said = (at < 0 ? text : text.slice(0, at)).trim()
    const repeated = { role, text: said, coversDecision }
    coversDecision = at >= 0
    return said === '' ? [] : [repeated]
  })
}
