/** A model that a plugin brings, as admins see it. How it does is known to each process alone. */
import { rolesOfRuntime } from '../../../config/models/missing-runtimes.ts'
import { builder } from '../builder.ts'
import { upTo } from '../paging/page-sizes.ts'

interface PluginRuntime {
  readonly plugin: string
  readonly name: string
  readonly description: string
}

const inFull = ({ plugin, name }: PluginRuntime): string => `${plugin}/${name}`

export const PluginRuntimeType = builder.objectRef<PluginRuntime>('PluginRuntime').implement({
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
