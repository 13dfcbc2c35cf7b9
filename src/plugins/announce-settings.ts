/** `onSettingsChange`: a plugin that is about to be started anew gets the settings that it will have. */
import type { Json } from '../plugin-api/hook-inputs.ts'
import type { Clock } from '../platform/clock.ts'
import { HOOK_BUDGETS_MS } from './hooks/hook-table.ts'
import type { PluginSupervisor } from './plugin-supervisor.ts'
import { withinBudget } from './runners.ts'

const NO_ABORT = new AbortController().signal

/** Resolves when the plugin has answered, or its time is over; never rejects. */
export async function announceSettings(supervisor: PluginSupervisor, settings: Json, clock: Clock): Promise<void> {
  const { instance } = supervisor
  const hook = 'onSettingsChange'
  if (instance?.manifest.hooks.includes(hook) !== true) return
  const work = (signal: AbortSignal): Promise<Json> =>
    instance.call({ kind: 'HOOK', hook, data: { settings } }, { signal })
  const limits = { budgetMs: HOOK_BUDGETS_MS[hook], clock, signal: NO_ABORT }
  await withinBudget(work, limits).catch(() => null)
}
