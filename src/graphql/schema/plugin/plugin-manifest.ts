/** What a plugin says of itself, as fields of it. */
import * as z from 'zod'
import { builder } from '../builder.ts'
import { upTo } from '../paging/page-sizes.ts'
import { PluginType } from './plugin.ts'
import { rolesOfRuntime } from '../../../config/models/missing-runtimes.ts'

/** Of what the plugin says of itself, what is shown. Rows of other versions may have less. */
const shownManifest = z.object({
  settingsSchema: z.record(z.string(), z.unknown()).catch({}),
  secretSettings: z.array(z.string()).catch([]),
  instructs: z.boolean().catch(false),
  hooks: z.array(z.string()).catch([]),
  tools: z.array(z.object({ name: z.string() })).catch([]),
  commands: z.array(z.object({ name: z.string() })).catch([]),
  runtimes: z.array(z.object({ name: z.string(), description: z.string() })).catch([]),
})
const NOTHING = shownManifest.parse({})

function shown(manifest: unknown): z.output<typeof shownManifest> {
  return shownManifest.safeParse(manifest).data ?? NOTHING
}

const names = (of: readonly { readonly name: string }[]): string[] => of.map(({ name }) => name)

builder.prismaObjectFields(PluginType, (t) => ({
  settingsSchema: t.field({
    type: 'JSON',
    description: 'The JSON schema (2020-12) of the settings, to draw a form from.',
    select: { manifest: true },
    resolve: ({ manifest }) => shown(manifest).settingsSchema,
  }),
  secretSettings: t.stringList({
    description: 'The settings that hold the name of a deploy secret, whose value the plugin is given.',
    select: { manifest: true },
    extensions: upTo(20, 0),
    resolve: ({ manifest }) => shown(manifest).secretSettings,
  }),
  instructs: t.boolean({
    description:
      "Whether its sections of prompts may be the operator's own words, which models follow; else they are data.",
    select: { manifest: true },
    resolve: ({ manifest }) => shown(manifest).instructs,
  }),
  hooks: t.stringList({
    description: 'The moments of a turn at which it is called.',
    select: { manifest: true },
    extensions: upTo(11, 0),
    resolve: ({ manifest }) => shown(manifest).hooks,
  }),
  tools: t.stringList({
    description: 'The tools that it brings, which are offered as "<plugin>__<tool>".',
    select: { manifest: true },
    extensions: upTo(64, 0),
    resolve: ({ manifest }) => names(shown(manifest).tools),
  }),
  commands: t.stringList({
    description: 'The commands that it brings: lines that begin with "/<command>".',
    select: { manifest: true },
    extensions: upTo(64, 0),
    resolve: ({ manifest }) => names(shown(manifest).commands),
  }),
  runtimes: t.field({
    type: [PluginRuntimeType],
    description: 'The models that it brings.',
    select: { manifest: true, name: true },
    extensions: upTo(8, 0),
    resolve: ({ manifest, name: plugin }) => shown(manifest).runtimes.map((runtime) => ({ plugin, ...runtime })),
  }),
}))

interface PluginRuntime {
  readonly plugin: string
  readonly name: string
  readonly description: string
}

const inFull = ({ plugin, name }: PluginRuntime): string => `${plugin}/${name}`

/**
 * A model that a plugin brings, as admins see it. How it does is known to each process alone.
 */
const PluginRuntimeType = builder.objectRef<PluginRuntime>('PluginRuntime').implement({
  description: 'A model, or an agent, of a plugin: chosen as the model "<plugin>/<runtime>:<model>".',
  authScopes: { admin: true },
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in the plugin.' }),
    summary: t.exposeString('description', { description: 'What it is, by its author.' }),
    roles: t.stringList({
      description: 'The roles for which config.toml names it, first or as a fallback.',
      extensions: upTo(16, 0),
      resolve: (runtime, _args, { config }) => [...rolesOfRuntime(config.current(), inFull(runtime))],
    }),
    openCount: t.int({
      description: 'How many of its conversations are open, in the process that answers.',
      resolve: (runtime, _args, { plugins }) => plugins.runtimes.stateOf(inFull(runtime)).openCount,
    }),
    lastError: t.string({
      nullable: true,
      description: 'What last went wrong in the process that answers, in one line; null: nothing since it was started.',
      resolve: (runtime, _args, { plugins, secrets }) => {
        const { lastError } = plugins.runtimes.stateOf(inFull(runtime))
        return lastError === null ? null : secrets.redactLine(lastError)
      },
    }),
    lastErrorAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When that was.',
      resolve: (runtime, _args, { plugins }) => plugins.runtimes.stateOf(inFull(runtime)).lastErrorAt,
    }),
  }),
})
