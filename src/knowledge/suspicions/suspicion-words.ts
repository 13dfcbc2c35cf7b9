/**
 * What a learning looks like that a person has to see, by form, in English, German, French, Spanish and Italian: the
 * one table that docs/curation.md tells of. What there is of secrets is in secret-words.ts.
 *
 * What must hold: when in doubt, a person. What is held is not lost.
 */
import type { Suspicion } from '../../core/status.ts'
import { AGENT } from './agent-words.ts'
import type { ByLanguage } from './form.ts'
import { ORDER } from './order-words.ts'
import { REMARK } from './remark-words.ts'
import { PRIVATE, RIGHTS } from './rights-words.ts'

/** In the order of the flags of a learning. */
export const SUSPICIOUS: Readonly<Record<Exclude<Suspicion, 'SECRET'>, ByLanguage>> = {
  ORDER,
  REMARK,
  AGENT,
  RIGHTS,
  PRIVATE,
}
