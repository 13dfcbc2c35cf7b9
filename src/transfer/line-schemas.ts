/**
 * The lines of an exported session, as they are checked when they come in. A change of what they mean is another
 * version.
 */
import * as z from 'zod'
import { isSessionId, SESSION_ID_RULE } from '../core/session/session-id.ts'
import type { SessionEventType } from '../core/session-event.ts'
import { EVENT_DATA } from './event-data.ts'
import { ROW_KINDS, ROW_NAMES, type RowName } from './row-kinds.ts'

export const EXPORT_VERSION = 1

export const headerSchema = z.strictObject({
  type: z.literal('header'),
  format: z.literal('factotum session'),
  version: z.literal(EXPORT_VERSION),
  sessionId: z.string().refine(isSessionId, SESSION_ID_RULE),
  exportedAt: z.iso.datetime(),
})
export type ExportHeader = z.output<typeof headerSchema>

export const endSchema = z.strictObject({ type: z.literal('end'), lines: z.int().min(1) })

/** A line that is a row, by its fields' names. */
export type RowLine = Readonly<Record<string, unknown>>

const ROW_SCHEMAS = new Map<RowName, z.ZodType<RowLine>>(
  ROW_NAMES.map((name) => {
    const fields = Object.entries(ROW_KINDS[name].fields).map(([field, { schema }]) => [field, schema] as const)
    const schema = z.strictObject({ type: z.literal(name), ...Object.fromEntries(fields) })
    return [name, name === 'event' ? schema.superRefine(checkData) : schema]
  }),
)

export function rowSchema(name: RowName): z.ZodType<RowLine> | undefined {
  return ROW_SCHEMAS.get(name)
}

function checkData(line: RowLine, context: z.RefinementCtx): void {
  const { error } = EVENT_DATA[line['event'] as SessionEventType].safeParse(line['data'])
  for (const { message, path } of error?.issues ?? [])
    context.addIssue({ code: 'custom', message, path: ['data', ...path] })
}
