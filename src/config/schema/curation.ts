/** `[curation]`: what becomes a fact without a person, by who taught it and where it was learned. */
import * as z from 'zod'
import type { Role } from '../../core/identity.ts'
import type { LearningSource } from '../../core/status.ts'
import { says } from '../field.ts'

const MODES = ['auto', 'hold_suspicious', 'hold'] as const
/** auto: the curator decides. hold: a person does. hold_suspicious: a person, if it looks like what must be checked. */
export type CurationMode = (typeof MODES)[number]

export type CurationPolicy = Readonly<Record<LearningSource, Readonly<Record<Role, CurationMode>>>>

const mode = () => z.enum(MODES, says('must be "auto", "hold_suspicious" or "hold"'))
const ofSource = (what: string) =>
  z
    .strictObject({ admin: mode().optional(), user: mode().optional() }, says('must be a section with admin and user'))
    .prefault({})
    .meta({ description: `The same, for what ${what}.` })

export const curationSchema = z.strictObject(
  {
    admin: mode()
      .default('hold_suspicious')
      .meta({
        description:
          'What is learned in turns of admins: "auto", the curator decides; "hold_suspicious", a person decides about what looks like an order, ' +
          'a secret, a passing remark, a sentence about the agent, a change of rights or a private matter; "hold", a person decides about all.',
      }),
    user: mode().default('hold').meta({ description: 'What is learned in turns of others.' }),
    review: ofSource('reviews of tasks learn'),
    chat: ofSource('conversations learn'),
    checkpoint: ofSource('checkpoints learn'),
    answer: ofSource('people answer to questions'),
  },
  says('must be a section [curation]'),
)

export function toCurationPolicy(file: z.output<typeof curationSchema>): CurationPolicy {
  const of = (own: { readonly admin?: CurationMode | undefined; readonly user?: CurationMode | undefined }) => {
    return { ADMIN: own.admin ?? file.admin, USER: own.user ?? file.user }
  }
  return { REVIEW: of(file.review), CHAT: of(file.chat), CHECKPOINT: of(file.checkpoint), ANSWER: of(file.answer) }
}
