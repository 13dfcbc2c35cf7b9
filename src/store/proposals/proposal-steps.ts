/** The steps of a proposal, as its row keeps them; their facts stand in `fact_proposal_sources`. */
import * as z from 'zod'

const stepSchema = z.object({
  operation: z.enum(['MERGE', 'EDIT', 'DROP']),
  content: z.string().nullable(),
  reason: z.string().nullable(),
})

/** Reads the column `steps`. */
export const proposalStepsSchema = z.array(stepSchema)

/** What becomes of the facts of a step: `content` is null with DROP. */
export type StoredStep = z.output<typeof stepSchema>
