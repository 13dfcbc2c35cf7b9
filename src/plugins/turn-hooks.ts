/**
 * The hooks as a turn meets them: the plugins that were enabled when it began, in their order. One that has ended since
 * is left out, one that was started again takes part again.
 */
import type {
  BeforeInvokeData,
  CommandData,
  HookInputs,
  HookName,
  Section,
  TaskData,
  GivenSection,
} from '../plugin-api/hook-inputs.ts'
import * as z from 'zod'
import type { Clock } from '../platform/clock.ts'
import { commandAnswer, HOOK_BUDGETS_MS, MAX_SECTIONS, sectionsAnswer, taskAnswer } from './hook-table.ts'
import { PluginError } from './plugin-instance.ts'
import type { PluginKeeper } from './plugin-keeper.ts'
import { chainThrough, firstToWin, notifyAll, type HookReport, type HookTarget, type RunOptions } from './runners.ts'

/** Of these nothing comes back. */
export type NotifyHook = Exclude<HookName, 'onBeforeInvoke' | 'onCommand' | 'onTaskComplete' | 'onSettingsChange'>

/** A command that plugins offer. */
export interface OfferedCommand {
  readonly plugin: string
  readonly name: string
  readonly description: string
  readonly fromModel: boolean
}

/** What the plugins made of a prompt. */
export interface InvokedSections {
  /** Those that were given, unchanged, and then those of plugins, which are all DATA. */
  readonly sections: readonly Section[]
  /** Which plugins took part, and how many milliseconds each took. */
  readonly took: readonly { readonly plugin: string; readonly ms: number }[]
}

/** Nothing of it rejects: a plugin that fails is counted and left out. `signal`: the turn's. */
export interface TurnHooks {
  /** No plugin takes part: nothing need be made ready for calls. */
  readonly isEmpty: boolean
  readonly commands: readonly OfferedCommand[]
  /** Whether any plugin wants this hook: whether its data need be made. */
  wants(hook: HookName): boolean
  /** Those that want it, in their order. */
  pluginsOf(hook: HookName): readonly string[]
  beforeInvoke(data: BeforeInvokeData, signal: AbortSignal): Promise<InvokedSections>
  notify<Hook extends NotifyHook>(hook: Hook, data: HookInputs[Hook], signal: AbortSignal): Promise<void>
  /** `onPipelineComplete`, of one plugin. False: it was not called, or ended meanwhile; try again later. */
  ended(plugin: string, data: HookInputs['onPipelineComplete'], signal: AbortSignal): Promise<boolean>
  /** `onTaskComplete`. The first rejection: the task is to be planned anew for this reason; null: none. */
  taskCompleted(
    data: TaskData,
    signal: AbortSignal,
  ): Promise<{ readonly plugin: string; readonly reason: string } | null>
  /** Whether any plugin is to be asked about such a line. */
  takesCommand(name: string, from: CommandData['from']): boolean
  /** The plugin that handled the line, and its text for the user, if it has one; null: no plugin did. */
  command(
    data: CommandData,
    signal: AbortSignal,
  ): Promise<{ readonly plugin: string; readonly text: string | null } | null>
}

/** Where no plugin is enabled. */
export const NO_HOOKS: TurnHooks = {
  isEmpty: true,
  commands: [],
  wants: () => false,
  pluginsOf: () => [],
  beforeInvoke: async ({ sections }) => ({ sections, took: [] }),
  notify: async () => {},
  ended: async () => false,
  taskCompleted: async () => null,
  takesCommand: () => false,
  command: async () => null,
}

const anything = z.unknown().transform(() => null)

/** `keepers`: those of the enabled plugins, in their order. */
export function hooksOf(keepers: readonly PluginKeeper[], clock: Clock): TurnHooks {
  return keepers.length === 0 ? NO_HOOKS : new PluginHooks(keepers, clock)
}

class PluginHooks implements TurnHooks {
  readonly isEmpty = false
  readonly #keepers: readonly PluginKeeper[]
  readonly #clock: Clock

  constructor(keepers: readonly PluginKeeper[], clock: Clock) {
    this.#keepers = [...keepers]
    this.#clock = clock
  }

  get commands(): readonly OfferedCommand[] {
    const offered = new Map<string, OfferedCommand>()
    for (const { name: plugin, instance } of this.#keepers) {
      for (const command of instance?.manifest.commands ?? []) {
        if (!offered.has(command.name)) offered.set(command.name, { plugin, ...command })
      }
    }
    return [...offered.values()]
  }

  wants(hook: HookName): boolean {
    return this.#keepers.some((keeper) => has(keeper, hook))
  }

  pluginsOf(hook: HookName): readonly string[] {
    return this.#keepers.filter((keeper) => has(keeper, hook)).map(({ name }) => name)
  }

  async beforeInvoke(data: BeforeInvokeData, signal: AbortSignal): Promise<InvokedSections> {
    const took: { plugin: string; ms: number }[] = []
    const toData = (sections: readonly Section[]): BeforeInvokeData => ({ ...data, sections })
    const sections = await chainThrough(
      this.#targets('onBeforeInvoke', toData),
      {
        value: data.sections,
        answer: sectionsAnswer,
        next: (before, given, plugin) => mergeSections(before, given, { name: plugin, ...this.#mayInstruct(plugin) }),
      },
      this.#options('onBeforeInvoke', signal, ({ plugin, ms }) => took.push({ plugin, ms: Math.round(ms) })),
    )
    return { sections, took }
  }

  async notify<Hook extends NotifyHook>(hook: Hook, data: HookInputs[Hook], signal: AbortSignal): Promise<void> {
    await notifyAll(this.#targets(hook, same), { data, answer: anything }, this.#options(hook, signal))
  }

  async ended(plugin: string, data: HookInputs['onPipelineComplete'], signal: AbortSignal): Promise<boolean> {
    const hook = 'onPipelineComplete'
    const keeper = this.#keepers.find(({ name }) => name === plugin)
    if (keeper === undefined || keeper.instance === null) return false
    if (!has(keeper, hook)) return true
    let outcome = 'ENDED' as HookReport['outcome']
    const options = this.#options(hook, signal, (report) => (outcome = report.outcome))
    const targets = this.#targets(hook, same, (one) => one === keeper)
    await notifyAll(targets, { data, answer: anything }, options)
    return outcome === 'OK' || outcome === 'THREW' || outcome === 'WRONG' || outcome === 'LATE'
  }

  async taskCompleted(
    data: TaskData,
    signal: AbortSignal,
  ): Promise<{ readonly plugin: string; readonly reason: string } | null> {
    const targets = this.#targets('onTaskComplete', same)
    const said = await notifyAll(targets, { data, answer: taskAnswer }, this.#options('onTaskComplete', signal))
    const [first] = said
    return first === undefined ? null : { plugin: first.plugin, reason: first.answer.reject }
  }

  takesCommand(name: string, from: CommandData['from']): boolean {
    return this.#keepers.some((keeper) => takesCommand(keeper, { name, from }))
  }

  async command(
    data: CommandData,
    signal: AbortSignal,
  ): Promise<{ readonly plugin: string; readonly text: string | null } | null> {
    const targets = this.#targets('onCommand', same, (keeper) => takesCommand(keeper, data))
    const won = await firstToWin(
      targets,
      { data, answer: commandAnswer, wins: (answer) => answer !== false },
      this.#options('onCommand', signal),
    )
    return won === null ? null : { plugin: won.plugin, text: typeof won.answer === 'string' ? won.answer : null }
  }

  #mayInstruct(plugin: string): { readonly instructs: boolean } {
    const keeper = this.#keepers.find(({ name }) => name === plugin)
    return { instructs: keeper?.instance?.manifest.instructs === true }
  }

  #targets<Data>(
    hook: HookName,
    toData: (data: Data) => unknown,
    takesPart: (keeper: PluginKeeper) => boolean = (keeper) => has(keeper, hook),
  ): readonly HookTarget<Data>[] {
    return this.#keepers.filter(takesPart).map((keeper) => ({
      name: keeper.name,
      call: async (data, signal) => {
        if (keeper.instance === null) throw new PluginError('NOT_CALLED', 'the plugin is not running')
        return keeper.instance.call({ kind: 'HOOK', hook, data: toData(data) }, { signal })
      },
    }))
  }

  #options(hook: HookName, signal: AbortSignal, onReport: (report: HookReport) => void = () => {}): RunOptions {
    return {
      budgetMs: HOOK_BUDGETS_MS[hook],
      clock: this.#clock,
      signal,
      onReport: (report) => {
        const message = report.message === null ? null : `${hook}: ${report.message}`
        this.#keepers.find(({ name }) => name === report.plugin)?.report({ outcome: report.outcome, message })
        onReport(report)
      },
    }
  }
}

function has({ instance }: PluginKeeper, hook: HookName): boolean {
  if (hook === 'onCommand' && (instance?.manifest.commands.length ?? 0) > 0) return true
  return instance?.manifest.hooks.includes(hook) === true
}

/** Lines of a model only reach commands that were declared for it. */
function takesCommand({ instance }: PluginKeeper, { name, from }: Pick<CommandData, 'name' | 'from'>): boolean {
  const declared = instance?.manifest.commands.find((command) => command.name === name)
  if (declared !== undefined) return from === 'USER' || declared.fromModel
  return from === 'USER' && instance?.manifest.hooks.includes('onCommand') === true
}

function same<Data>(data: Data): Data {
  return data
}

/**
 * What was not added by a plugin stays as it is and comes first. What plugins give is DATA, but for what one that
 * `instructs` gives as the operator's words: and those are DATA once another one has changed them.
 */
function mergeSections(
  before: readonly Section[],
  given: readonly GivenSection[],
  by: { readonly name: string; readonly instructs: boolean },
): readonly Section[] {
  const own = before.filter((section) => section.plugin === null)
  const ownIds = new Set(own.map(({ id }) => id))
  const earlier = new Map(before.flatMap((section) => (section.plugin === null ? [] : [[section.id, section]])))
  const added = given
    .filter(({ id }) => id === undefined || !ownIds.has(id))
    .slice(0, MAX_SECTIONS)
    .map(({ title, text, id, trust = 'DATA' }, index): Section => {
      const was = earlier.get(id)
      if (was !== undefined && was.title === title && was.text === text) return was
      const place = { id: was?.id ?? `${by.name}:${index + 1}`, plugin: was?.plugin ?? by.name }
      return { ...place, title, text, trust: by.instructs ? trust : 'DATA' }
    })
  return [...own, ...added]
}
