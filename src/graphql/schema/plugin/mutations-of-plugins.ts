/** The mutations by which admins set plugins, as clients see them. The rules are in src/plugins. */
import { restartPlugin, updatePlugin, type PluginChanged } from '../../../plugins/change-plugin.ts'
import { builder } from '../builder.ts'
import { upTo } from '../paging/page-sizes.ts'
import { resultUnion } from '../result-union.ts'
import { PluginRow } from './plugin.ts'

function pluginResult(name: string) {
  const payload = builder.objectRef<PluginChanged>(`${name}Payload`).implement({
    description: 'It is stored, and every process follows within a second; `pluginUpdates` tells how the plugin does.',
    authScopes: { admin: true },
    fields: (t) => ({
      plugin: PluginRow.field(t, ({ pluginId }) => pluginId, 'The plugin as it is now.'),
      warnings: t.stringList({
        description:
          'Models of config.toml that cannot answer now, as the runtime that they name is not there or not enabled; and what to change.',
        extensions: upTo(100, 0),
        resolve: (_changed, _args, { plugins }) =>
          plugins.live.missingRuntimes().map(({ model, says, fix }) => `${model}: ${says} ${fix}`),
      }),
    }),
  })
  return resultUnion(name, payload)
}

const UpdatePluginInput = builder.inputType('UpdatePluginInput', {
  description: 'What to change of a plugin; what is left out or null stays.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name of the plugin.' }),
    enabled: t.boolean({ description: 'Whether it is to run.' }),
    position: t.int({ description: 'Where its hooks run among those of others: 0 to 10 000, lowest first.' }),
    settings: t.field({
      type: 'JSON',
      description:
        'All of its settings, in place of those before: an object that its settingsSchema takes, with no settings that are not in it. ' +
        'For a secret, the name of a deploy secret, never its value.',
    }),
    version: t.int({ required: true, description: 'The "version" of the plugin that you have seen.' }),
  }),
})

builder.mutationField('updatePlugin', (t) =>
  t.field({
    type: pluginResult('UpdatePlugin'),
    authScopes: { admin: true },
    description:
      'Enables, orders or sets a plugin. Changed settings start it anew as a whole; turns that run go on with what there is. ' +
      'Refused when it was changed since you have seen it.',
    args: { input: t.arg({ type: UpdatePluginInput, required: true, description: 'Which, and what.' }) },
    resolve: (_root, { input }, { plugins, viewer }) => updatePlugin(plugins, viewer, input),
  }),
)

const RestartPluginInput = builder.inputType('RestartPluginInput', {
  description: 'The plugin to start again.',
  fields: (t) => ({ name: t.string({ required: true, description: 'The name of the plugin.' }) }),
})

builder.mutationField('restartPlugin', (t) =>
  t.field({
    type: pluginResult('RestartPlugin'),
    authScopes: { admin: true },
    description:
      'Starts a plugin again in every process, without a pause, also one that has FAILED. Each call does it once more.',
    args: { input: t.arg({ type: RestartPluginInput, required: true, description: 'Which.' }) },
    resolve: (_root, { input }, { plugins, viewer }) => restartPlugin(plugins, viewer, input),
  }),
)
