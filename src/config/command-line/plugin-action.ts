/**
 * `factotum plugin …` as words → what to do with the plugins below FACTOTUM_HOME (src/plugins carries it out). Pure.
 */
import { didYouMean } from '../closest.ts'

export type PluginAction =
  /** `yes`: without asking. */
  | { readonly do: 'install'; readonly folder: string; readonly yes: boolean }
  | { readonly do: 'list' }
  | { readonly do: 'remove'; readonly name: string }

export interface PluginFlags {
  readonly yes?: boolean | undefined
}

const COMMANDS = ['install', 'list', 'remove']

/** `words` after "plugin". The action, or a sentence that says what is wrong. */
export function parsePluginAction(words: readonly string[], flags: PluginFlags): PluginAction | string {
  const [command, argument, surplus] = words
  if (command === undefined) return `"factotum plugin" needs one of: ${COMMANDS.join(', ')}.`
  if (surplus !== undefined) return `"${surplus}" is one word too many.`
  const wrong = Object.keys(flags).find((flag) => flag !== 'yes' || command !== 'install')
  if (wrong !== undefined) return `"factotum plugin ${command}" takes no option --${wrong}.`
  switch (command) {
    case 'install':
      if (argument === undefined) return '"factotum plugin install" needs the folder of a plugin.'
      return { do: 'install', folder: argument, yes: flags.yes === true }
    case 'list':
      return argument === undefined ? { do: 'list' } : `"${argument}" is one word too many.`
    case 'remove':
      if (argument !== undefined) return { do: 'remove', name: argument }
      return '"factotum plugin remove" needs the name of a plugin; "factotum plugin list" shows them.'
    default:
      return `There is no command "plugin ${command}"${didYouMean(command, COMMANDS)}.`
  }
}
