/**
 * How a text that was learned enters the inbox: to be judged, held for a person, or refused. Called for what reviews,
 * conversations and checkpoints learn, before it is stored. Nothing is lost: what is refused is a row too, which an
 * admin can reopen.
 */
import { GLOBAL_SCOPE, type Scope } from '../../core/knowledge/fact-scope.ts'
import { normalText } from '../../core/text/normal-text.ts'
import { asSentence } from '../../core/text/as-sentence.ts'
import type { CurationMode } from '../../config/schema/curation.ts'
import type { LearningFlag, LearningSource, Suspicion } from '../../core/status.ts'
import type { LearningEntry } from '../../core/turn-write.ts'
import { hideForms } from '../../secrets/forms/secret-forms.ts'
import type { Database } from '../../store/database.ts'
import { unfitText } from '../unfit-text.ts'
import { compareWithKnown, type Comparison } from './compare-with-known.ts'
import { findSuspicions } from '../suspicions/find-suspicions.ts'

export interface EnteredText {
  readonly content: string
  readonly norm: string
  readonly entry: LearningEntry
}

export interface LearnedText {
  readonly text: string
  /** The turn whose prompt had facts; '' when it was learned in none. */
  readonly turnId: string
  readonly source: LearningSource
  /** What the configuration says of its source and its teacher. */
  readonly mode: CurationMode
  /** Of what it may become. */
  readonly scope: Scope
  /** Why it is not held in any case; null: it is. */
  readonly refusal: string | null
}

/** Of a text that is refused for its length. */
const MAX_KEPT_CHARS = 2000

/** Null: it says nothing. */
export async function enterLearning(
  database: Database,
  { text, turnId, source, mode, scope, refusal }: LearnedText,
): Promise<EnteredText | null> {
  const content = text.trim()
  // What is longer is refused, and not read to its end.
  const norm = normalText(content.slice(0, MAX_KEPT_CHARS))
  if (norm === '') return null
  const unfit = refusal ?? unfitText(content)
  if (unfit !== null) {
    const kept = hideForms(content).slice(0, MAX_KEPT_CHARS).toWellFormed()
    return { content: kept, norm: normalText(kept), entry: { ...refused(unfit), source, ...scope } }
  }
  const known = await compareWithKnown(database, { norm, turnId, scope, among: 'all' })
  return { content, norm, entry: { ...held(entryOf(known), mode, content), source, ...scope } }
}

/** As a learning enters of which nothing is known. */
export const TO_JUDGE: LearningEntry = {
  source: 'REVIEW',
  status: 'PENDING',
  held: false,
  flags: [],
  reason: null,
  repeatsFactId: null,
  repeatsLearningId: null,
  similarFactIds: [],
  ...GLOBAL_SCOPE,
}

/** `reason`: a clause, such as "it may hold a secret". */
function refused(reason: string): LearningEntry {
  return { ...TO_JUDGE, status: 'REFUSED', reason: asSentence(reason) }
}

/** Pure. The order matters: what is in use is no matter of what was rejected once. */
export function entryOf({ same, rejected, recalled, similarFactIds }: Comparison): LearningEntry {
  if (same !== null)
    return {
      ...refused(`it repeats the ${same.kind} ${same.id}`),
      [same.kind === 'fact' ? 'repeatsFactId' : 'repeatsLearningId']: same.id,
    }
  if (rejected !== null)
    return { ...TO_JUDGE, similarFactIds, held: true, flags: ['REJECTED'], reason: whyRejected(rejected) }
  if (recalled?.how === 'merely')
    return { ...refused(`it repeats the fact ${recalled.factId} of the prompt`), repeatsFactId: recalled.factId }
  const waits = { ...TO_JUDGE, similarFactIds }
  if (recalled === null) return waits
  const reason = `It contains the fact ${recalled.factId}, which stood in the prompt.`
  const alike = [recalled.factId, ...similarFactIds.filter((id) => id !== recalled.factId)]
  return { ...waits, held: true, flags: ['RECALLED'], reason, similarFactIds: alike }
}

/** With what its form and its teacher are reasons for; what is refused stays refused. */
function held(entry: LearningEntry, mode: CurationMode, content: string): LearningEntry {
  if (entry.status === 'REFUSED' || mode === 'auto') return entry
  const flags: LearningFlag[] = [...(mode === 'hold' ? (['TEACHER'] as const) : []), ...findSuspicions(content)]
  if (flags.length === 0) return entry
  return { ...entry, held: true, flags: [...entry.flags, ...flags], reason: entry.reason ?? whyHeld(flags) }
}

const REASONS: Readonly<Record<Suspicion | 'TEACHER', string>> = {
  TEACHER: 'what this user teaches waits for a person',
  ORDER: 'it has the form of an order',
  SECRET: 'it may hold a secret',
  REMARK: 'it has the form of a passing remark',
  AGENT: 'it speaks of the agent',
  RIGHTS: 'it speaks of rights',
  PRIVATE: "it may be a person's private matter",
}

/** For people. */
export function whyHeld(flags: readonly LearningFlag[]): string {
  return asSentence(flags.flatMap((flag) => (flag in REASONS ? [REASONS[flag as Suspicion]] : [])).join('; '))
}

/** For people: who said that it is not so, and when; of a project's fact only that. */
export function whyRejected({ factId, by, at, isMerged, isElsewhere }: NonNullable<Comparison['rejected']>): string {
  if (isElsewhere) return 'A person rejected it in a project.'
  const did = isMerged ? 'merged it into another fact' : 'took it back'
  return `${by} ${did} at ${at.toISOString()} (fact ${factId}).`
}
