/** `factotum plugin …`: what to do with the plugins below FACTOTUM_HOME (src/plugins carries it out). Pure. */
import type { Command } from 'commander'
import type { Flags } from '../schema/environment.ts'
import { withHome, type Found } from './command-options.ts'

export type PluginAction =
  /** `yes`: without asking. */
  | { readonly do: 'install'; readonly what: string; readonly yes: boolean }
  | { readonly do: 'list' }
  | { readonly do: 'remove'; readonly name: string }

export function declarePlugin(program: Command, found: Found<PluginAction>): void {
  const plugin = program.command('plugin').description('Installs, lists and removes plugins.')
  withHome(plugin.command('install'))
    .description(
      'Installs a plugin. Asks before it runs any of it, shows what it asks for, and asks again. It is off until an admin enables it.',
    )
    .argument('<what>', 'the folder of a plugin, the name of an npm package, or a .tgz of one')
    .option('--yes', 'Does not ask.')
    .action((what: string, { yes, ...flags }: Flags & { yes?: true }) =>
      found({ do: 'install', what, yes: yes === true }, flags),
    )
  withHome(plugin.command('list'))
    .description('Lists the plugins that are installed.')
    .action((flags: Flags) => found({ do: 'list' }, flags))
  withHome(plugin.command('remove'))
    .description('Removes a plugin; its settings stay.')
    .argument('<name>', 'the name of a plugin; "factotum plugin list" shows them')
    .action((name: string, flags: Flags) => found({ do: 'remove', name }, flags))
}
