/** `[retention]`: after how many days what goes. */
import * as z from 'zod'
import { says, wholeNumber } from '../field.ts'

/** What goes when it is old, by kind. */
export const RETENTION_KINDS = ['events', 'outputs', 'turns', 'messages', 'deliveries', 'workspaces'] as const
export type RetentionKind = (typeof RETENTION_KINDS)[number]

/** By kind; 0: it is kept for ever. */
export type Retention = Readonly<Record<RetentionKind, number>>

const days = (description: string) => wholeNumber({ min: 0, max: 36_500 }).default(0).meta({ description })

export const retentionSchema = z.strictObject(
  {
    events: days(
      'Days for which the log keeps events of turns that have ended. What was said, and how turns ended, stays. 0, as everywhere here: for ever.',
    ),
    outputs: days('Days for which the outputs of commands, skills and tools are kept.'),
    turns: days(
      'Days after its end for which a turn is kept, with its message, what was answered, its plans, files and deliveries.',
    ),
    messages: days('Days for which messages are kept that began no turn, as most in groups.'),
    deliveries: days('Days for which posts to webhooks are listed that were delivered or given up.'),
    workspaces: days(
      'Days after the last activity in a session for which its workspace is kept, uploaded files included.',
    ),
  } satisfies Record<RetentionKind, z.ZodType>,
  says('must be a section [retention]'),
)
