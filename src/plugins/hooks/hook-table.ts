/** How each hook is run: its budget of milliseconds for each plugin, and what it may answer. */
import * as z from 'zod'
import type { GivenSection, HookName } from '../../plugin-api/hook-inputs.ts'

/** Milliseconds that one plugin has. */
export const HOOK_BUDGETS_MS: Readonly<Record<HookName, number>> = {
  onPipelineStart: 5000,
  onMessage: 5000,
  onBeforeInvoke: 15_000,
  onAfterInvoke: 5000,
  onCommand: 30_000,
  onTaskCreate: 5000,
  onTaskComplete: 5000,
  onTaskFailed: 5000,
  onPipelineComplete: 15_000,
  onBroadcast: 10_000,
  onSettingsChange: 30_000,
}

/** Of the sections of all plugins in one prompt. */
export const MAX_SECTIONS = 20
/** Of one section's text. */
export const MAX_SECTION_CHARS = 16_000

const section = z.object({
  id: z.string().max(200).optional(),
  title: z.string().min(1).max(200),
  text: z.string().max(MAX_SECTION_CHARS),
  trust: z.enum(['SERVER', 'DATA']).optional().catch(undefined),
})

/** What `onBeforeInvoke` may answer; null: all stays as it is. */
export const sectionsAnswer: z.ZodType<readonly GivenSection[] | null> = z
  .array(
    section.transform(({ title, text, id, trust }) => ({
      title,
      text,
      ...(id !== undefined && { id }),
      ...(trust !== undefined && { trust }),
    })),
  )
  .max(200)
  .nullable()

/** What `onTaskComplete` may answer. */
export const taskAnswer = z.strictObject({ reject: z.string().min(1).max(2000) }).nullable()

/** What `onCommand` may answer: null and false are "not mine". */
export const commandAnswer = z.union([z.boolean(), z.string().max(256 * 1024)]).nullable()

/** Of hooks whose answers do not count. */
export const anything = z.unknown().transform(() => null)
