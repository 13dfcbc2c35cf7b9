/**
 * How a text that was learned enters the inbox: to be judged, held for a person, or refused. Called for what reviews,
 * conversations and checkpoints learn, before it is stored. Nothing is lost: what is refused is a row too, which an
 * admin can reopen.
 */
import { normalText } from '../../core/text/normal-text.ts'
import { asSentence } from '../../core/text/as-sentence.ts'
import type { LearningEntry } from '../../core/turn-write.ts'
import { hideForms } from '../../secrets/forms/secret-forms.ts'
import type { Database } from '../../store/database.ts'
import { unfitText } from '../unfit-text.ts'
import { compareWithKnown, type Known } from './compare-with-known.ts'

export interface EnteredText {
  readonly content: string
  readonly norm: string
  readonly entry: LearningEntry
}

export interface LearnedText {
  readonly text: string
  /** The turn whose prompt had facts; '' when it was learned in none. */
  readonly turnId: string
  /** Why it is not looked at in any case; null: it is. */
  readonly refusal: string | null
}

/** Of a text that is refused for its length. */
const MAX_KEPT_CHARS = 2000

/** Null: it says nothing. */
export async function enterLearning(
  database: Database,
  { text, turnId, refusal }: LearnedText,
): Promise<EnteredText | null> {
  const content = text.trim()
  const norm = normalText(content)
  if (norm === '') return null
  const unfit = refusal ?? unfitText(content)
  if (unfit !== null) {
    const kept = hideForms(content).slice(0, MAX_KEPT_CHARS).toWellFormed()
    return { content: kept, norm: normalText(kept), entry: refused(unfit) }
  }
  const known = await compareWithKnown(database, { norm, turnId, among: 'all' })
  return { content, norm, entry: entryOf(known) }
}

/** As a learning enters of which nothing is known. */
export const TO_JUDGE: LearningEntry = {
  status: 'PENDING',
  held: false,
  flags: [],
  reason: null,
  repeatsFactId: null,
  repeatsLearningId: null,
  similarFactIds: [],
}

/** `reason`: a clause, such as "it may hold a secret". */
function refused(reason: string): LearningEntry {
  return { ...TO_JUDGE, status: 'REFUSED', reason: asSentence(reason) }
}

/** Pure. The order matters: what is in use is no matter of what was rejected once. */
export function entryOf({ same, rejected, recalled, similarFactIds }: Known): LearningEntry {
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

/** For people: who said that it is not so, and when. */
export function whyRejected({ factId, by, at }: NonNullable<Known['rejected']>): string {
  return `${by} took it back at ${at.toISOString()} (fact ${factId}).`
}
