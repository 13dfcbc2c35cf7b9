/**
 * The hooks as a turn meets them: the plugins that were enabled when it began, in their order, each as it is now. One
 * that has ended since is left out, one that was started again, with other settings perhaps, takes part again.
 */
import type {
  BeforeInvokeData,
  CommandData,
  HookInputs,
  HookName,
  Section,
  TaskData,
  GivenSection,
} from '../../plugin-api/hook-inputs.ts'
import type { Clock } from '../../platform/clock.ts'
import { anything, commandAnswer, HOOK_BUDGETS_MS, MAX_SECTIONS, sectionsAnswer, taskAnswer } from './hook-table.ts'
import { ofHook, takes, targetOf, type EnabledPlugin } from './hook-target.ts'
import {
  chainThrough,
  firstToWin,
  notifyAll,
  type HookReport,
  type HookTarget,
  type Moment,
  type RunOptions,
} from '../runners.ts'

/** Of these nothing comes back. */
export type NotifyHook = Exclude<HookName, 'onBeforeInvoke' | 'onCommand' | 'onTaskComplete' | 'onSettingsChange'>

/** What plugins are told of: `onTaskComplete` of a task whose verdict stands. */
export type Notification = {
  readonly [Hook in NotifyHook | 'onTaskComplete']: { readonly hook: Hook; readonly data: HookInputs[Hook] }
}[NotifyHook | 'onTaskComplete']

/** A turn as its hooks need it: its signal, and what plugins are to be told of before they are asked. */
export interface Asking {
  readonly signal: AbortSignal
  readonly before: readonly Notification[]
}

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

type TurnEndData = HookInputs['onPipelineComplete']

/** Nothing of it rejects: a plugin that fails is counted and left out. `signal`: the turn's. */
export interface TurnHooks {
  /** No plugin takes part: nothing need be made ready for calls. */
  readonly isEmpty: boolean
  readonly commands: readonly OfferedCommand[]
  /** Whether any plugin wants this hook: whether its data need be made. */
  wants(hook: HookName): boolean
  /**
   * Who is to be given the end of a turn, in their order: also those that do not run at this moment, which are given it
   * later; not those that cannot be used as they are.
   */
  dueAtEnd(): readonly string[]
  beforeInvoke(data: BeforeInvokeData, asking: Asking): Promise<InvokedSections>
  notify(notifications: readonly Notification[], signal: AbortSignal): Promise<void>
  /** `onPipelineComplete` of these turns, of one plugin: those that it was not given, or ended meanwhile; try later. */
  ended(plugin: string, ends: readonly TurnEndData[], signal: AbortSignal): Promise<readonly TurnEndData[]>
  /** `onTaskComplete`. The first rejection: the task is to be planned anew for this reason; null: none. */
  taskCompleted(data: TaskData, asking: Asking): Promise<{ readonly plugin: string; readonly reason: string } | null>
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
  dueAtEnd: () => [],
  beforeInvoke: async ({ sections }) => ({ sections, took: [] }),
  notify: async () => {},
  ended: async (_plugin, ends) => ends,
  taskCompleted: async () => null,
  takesCommand: () => false,
  command: async () => null,
}

/** `plugins`: the enabled ones, in their order. */
export function hooksOf(plugins: readonly EnabledPlugin[], clock: Clock): TurnHooks {
  return plugins.length === 0 ? NO_HOOKS : new PluginHooks(plugins, clock)
}

class PluginHooks implements TurnHooks {
  readonly isEmpty = false
  readonly #plugins: readonly EnabledPlugin[]
  readonly #clock: Clock

  constructor(plugins: readonly EnabledPlugin[], clock: Clock) {
    this.#plugins = [...plugins]
    this.#clock = clock
  }

  get commands(): readonly OfferedCommand[] {
    const offered = new Map<string, OfferedCommand>()
    for (const { name: plugin, supervisor } of this.#plugins) {
      for (const command of supervisor?.instance?.manifest.commands ?? []) {
        if (!offered.has(command.name)) offered.set(command.name, { plugin, ...command })
      }
    }
    return [...offered.values()]
  }

  wants(hook: HookName): boolean {
    return this.#plugins.some((plugin) => takes(plugin, hook))
  }

  dueAtEnd(): readonly string[] {
    const isDue = ({ hooks, supervisor }: EnabledPlugin): boolean =>
      hooks.includes('onPipelineComplete') && supervisor?.status !== 'FAILED'
    return this.#plugins.filter(isDue).map(({ name }) => name)
  }

  async beforeInvoke(data: BeforeInvokeData, { signal, before }: Asking): Promise<InvokedSections> {
    const hook = 'onBeforeInvoke'
    const took: { plugin: string; ms: number }[] = []
    const sections = await chainThrough(
      this.#targets(),
      {
        before: before.map(momentOf),
        value: data.sections,
        momentOf: (current) => askedOf(hook, { ...data, sections: current }, sectionsAnswer),
        next: (value, given, plugin) => mergeSections(value, given, { name: plugin, ...this.#mayInstruct(plugin) }),
      },
      this.#options(signal, (report) => {
        if (report.hook === hook) took.push({ plugin: report.plugin, ms: Math.round(report.ms) })
      }),
    )
    return { sections, took }
  }

  async notify(notifications: readonly Notification[], signal: AbortSignal): Promise<void> {
    await notifyAll(this.#targets(), notifications.map(momentOf), this.#options(signal))
  }

  async ended(name: string, ends: readonly TurnEndData[], signal: AbortSignal): Promise<readonly TurnEndData[]> {
    const hook = 'onPipelineComplete'
    const plugin = this.#plugins.find((one) => one.name === name)
    if (plugin === undefined || plugin.supervisor?.instance == null) return ends
    if (!takes(plugin, hook)) return []
    const outcomes: HookReport['outcome'][] = []
    const options = this.#options(signal, ({ outcome }) => outcomes.push(outcome))
    await notifyAll(
      [targetOf(plugin)],
      ends.map((data) => momentOf({ hook, data })),
      options,
    )
    return ends.filter((_, n) => !WAS_GIVEN.has(outcomes[n] ?? 'ENDED'))
  }

  async taskCompleted(
    data: TaskData,
    { signal, before }: Asking,
  ): Promise<{ readonly plugin: string; readonly reason: string } | null> {
    const asked = askedOf('onTaskComplete', data, taskAnswer)
    const said = await notifyAll(this.#targets(), [...before.map(momentOf), asked], this.#options(signal))
    const first = said.find(({ moment }) => moment === asked)
    return first === undefined ? null : { plugin: first.plugin, reason: (first.answer as { reject: string }).reject }
  }

  takesCommand(name: string, from: CommandData['from']): boolean {
    return this.#plugins.some((plugin) => takesCommand(plugin, { name, from }))
  }

  async command(
    data: CommandData,
    signal: AbortSignal,
  ): Promise<{ readonly plugin: string; readonly text: string | null } | null> {
    const moment = askedOf('onCommand', data, commandAnswer)
    const targets = this.#plugins.filter((plugin) => takesCommand(plugin, data)).map(targetOf)
    const won = await firstToWin(targets, { moment, wins: (answer) => answer !== false }, this.#options(signal))
    return won === null ? null : { plugin: won.plugin, text: typeof won.answer === 'string' ? won.answer : null }
  }

  #mayInstruct(plugin: string): { readonly instructs: boolean } {
    return { instructs: this.#supervisorOf(plugin)?.instance?.manifest.instructs === true }
  }

  #targets(): readonly HookTarget[] {
    return this.#plugins.map(targetOf)
  }

  #supervisorOf(plugin: string): EnabledPlugin['supervisor'] {
    return this.#plugins.find(({ name }) => name === plugin)?.supervisor ?? null
  }

  #options(signal: AbortSignal, onReport: (report: HookReport) => void = () => {}): RunOptions {
    return {
      clock: this.#clock,
      signal,
      onReport: (report) => {
        this.#supervisorOf(report.plugin)?.report(ofHook(report))
        onReport(report)
      },
    }
  }
}

/** What a plugin does with an end that it was given does not matter. */
const WAS_GIVEN: ReadonlySet<HookReport['outcome']> = new Set(['OK', 'THREW', 'WRONG', 'LATE'])

function momentOf({ hook, data }: Notification): Moment {
  return { hook, data, budgetMs: HOOK_BUDGETS_MS[hook], answer: hook === 'onTaskComplete' ? taskAnswer : anything }
}

function askedOf<Answer>(hook: HookName, data: unknown, answer: Moment<Answer>['answer']): Moment<Answer> {
  return { hook, data, budgetMs: HOOK_BUDGETS_MS[hook], answer }
}

/** Lines of a model only reach commands that were declared for it. */
function takesCommand({ supervisor }: EnabledPlugin, { name, from }: Pick<CommandData, 'name' | 'from'>): boolean {
  const manifest = supervisor?.instance?.manifest
  const declared = manifest?.commands.find((command) => command.name === name)
  if (declared !== undefined) return from === 'USER' || declared.fromModel
  return from === 'USER' && manifest?.hooks.includes('onCommand') === true
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
