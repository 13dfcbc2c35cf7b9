/** What a change of a fact replaces, as its version keeps it (`fact_versions.before`): an undo puts it back. */
import * as z from 'zod'
import { sql } from '../sql.ts'

const time = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .nullable()

/** As a version keeps it in JSON; times are ISO 8601 there. */
export const factStateSchema = z.object({
  content: z.string(),
  norm: z.string(),
  invalidatedAt: time,
  replacedById: z.string().nullable(),
  validFrom: time,
  validTo: time,
  // Of versions from before there were scopes: everybody's.
  scope: z.enum(['GLOBAL', 'PROJECT', 'USER', 'SESSION']).default('GLOBAL'),
  scopeOf: z.string().default(''),
})

/** The columns of a fact that changes change. */
export type FactState = z.output<typeof factStateSchema>

/** Of facts `f`, as jsonb. */
export const FACT_STATE = sql`jsonb_build_object('content', f.content, 'norm', f.norm, 'invalidatedAt', f.invalidated_at,
      'replacedById', f.replaced_by_id, 'validFrom', f.valid_from, 'validTo', f.valid_to,
      'scope', f.scope, 'scopeOf', f.scope_of)`
