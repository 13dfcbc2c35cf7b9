/** A plugin as hooks meet it: one that is not running now is left out, and one that was started again takes part. */
import type { HookName } from '../../plugin-api/hook-inputs.ts'
import { PluginError } from '../plugin-instance.ts'
import type { PluginSupervisor } from '../plugin-supervisor.ts'
import type { HookReport, HookTarget } from '../runners.ts'

/**
 * A plugin that was enabled when a turn began. What keeps it is another one when its settings, files or secrets have
 * changed since.
 */
export interface EnabledPlugin {
  readonly name: string
  /** Those that it has when it runs, whether it does or not. */
  readonly hooks: readonly string[]
  /** As of now; null: it is enabled no more. */
  readonly supervisor: Pick<PluginSupervisor, 'instance' | 'status' | 'lastError' | 'report'> | null
}

/** As it is when it is called. */
export function targetOf(plugin: Pick<EnabledPlugin, 'name' | 'supervisor'>): HookTarget {
  return {
    name: plugin.name,
    takes: (hook) => takes(plugin, hook),
    callInOrder: (calls) => {
      const instance = plugin.supervisor?.instance
      if (instance == null)
        return calls.map(() => Promise.reject(new PluginError('NOT_CALLED', 'the plugin is not running')))
      return instance.callInOrder(
        calls.map(({ hook, data, signal }) => ({ call: { kind: 'HOOK', hook, data }, control: { signal } })),
      )
    },
  }
}

/** Whether it has the hook; commands are one. */
export function takes({ supervisor }: Pick<EnabledPlugin, 'supervisor'>, hook: HookName): boolean {
  const manifest = supervisor?.instance?.manifest
  if (hook === 'onCommand' && (manifest?.commands.length ?? 0) > 0) return true
  return manifest?.hooks.includes(hook) === true
}

/** As its supervisor counts and shows it. */
export function ofHook({ hook, outcome, message }: HookReport): Pick<HookReport, 'outcome' | 'message'> {
  return { outcome, message: message === null ? null : `${hook}: ${message}` }
}
