/** A plugin as hooks meet it: one that is not running now is left out, and one that was started again takes part. */
import type { HookName } from '../../plugin-api/hook-inputs.ts'
import { PluginError } from '../plugin-instance.ts'
import type { PluginKeeper } from '../plugin-keeper.ts'
import type { HookReport, HookTarget } from '../runners.ts'

/** As it is when it is called. */
export function targetOf(keeper: PluginKeeper): HookTarget {
  return {
    name: keeper.name,
    takes: (hook) => takes(keeper, hook),
    callInOrder: (calls) => {
      const { instance } = keeper
      if (instance === null)
        return calls.map(() => Promise.reject(new PluginError('NOT_CALLED', 'the plugin is not running')))
      return instance.callInOrder(
        calls.map(({ hook, data, signal }) => ({ call: { kind: 'HOOK', hook, data }, control: { signal } })),
      )
    },
  }
}

/** Whether it has the hook; commands are one. */
export function takes({ instance }: PluginKeeper, hook: HookName): boolean {
  if (hook === 'onCommand' && (instance?.manifest.commands.length ?? 0) > 0) return true
  return instance?.manifest.hooks.includes(hook) === true
}

/** As its keeper counts and shows it. */
export function ofHook({ hook, outcome, message }: HookReport): Pick<HookReport, 'outcome' | 'message'> {
  return { outcome, message: message === null ? null : `${hook}: ${message}` }
}
