/** What a plugin says of itself, as fields of it. */
import * as z from 'zod'
import { builder } from '../builder.ts'
import { upTo } from '../paging/page-sizes.ts'
import { PluginRuntimeType } from './plugin-runtime.ts'
import { PluginType } from './plugin.ts'

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
