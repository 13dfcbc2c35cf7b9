/**
 * The command line, as an action for `cli.ts` to carry out. Pure: checks words, not their values (`environment.ts`
 * does).
 */
import type { Command, CommanderError } from 'commander'
import { didYouMean } from '../../platform/closest.ts'
import { declareCommands, type CommandAction } from './declare-commands.ts'

export type Action =
  | CommandAction
  /** `text` null: all that there is to know; else what there is about one command. */
  | { readonly kind: 'help'; readonly text: string | null }
  | { readonly kind: 'version' }
  /** Print `message` to stderr and exit with 2. */
  | { readonly kind: 'misuse'; readonly message: string }

/** `args` without the program's own name. */
export function parseCommandLine(args: readonly string[]): Action {
  let action: Action | null = null
  let printed = ''
  const program = declareCommands(
    (found) => (action = found),
    (words) => (action = misuse(describeMisplaced(words, { program, isServe: args[0] === 'serve' }))),
  )
  for (const command of allCommands(program)) {
    command.configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} }).exitOverride((error) => {
      throw new Stopped(command, error)
    })
  }
  try {
    program.parse(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    return endOf(error, printed)
  }
  return action ?? misuse('Nothing was asked for.')
}

/** The command and all below it. */
export function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)]
}

/** "session export" of `factotum session export`; "" of `factotum` itself. */
export function pathOf(command: Command): string {
  return command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim()
}

/** Where parsing ended, and why. */
class Stopped extends Error {
  readonly command: Command
  readonly reason: CommanderError

  constructor(command: Command, reason: CommanderError) {
    super(reason.message, { cause: reason })
    this.command = command
    this.reason = reason
  }
}

function endOf({ command, reason }: Stopped, printed: string): Action {
  if (reason.code === 'commander.version') return { kind: 'version' }
  if (reason.exitCode === 0) return { kind: 'help', text: command.parent === null ? null : printed.trimEnd() }
  return misuse(describeMisuse(command, reason))
}

function misuse(message: string): Action {
  return { kind: 'misuse', message: `${message} "factotum --help" explains everything.` }
}

function describeMisuse(command: Command, { code, message }: CommanderError): string {
  const name = `"factotum ${pathOf(command)}"`
  const said = message.replace(/^error: /, '')
  switch (code) {
    case 'commander.help':
      return `${name} needs one of: ${namesIn(command).join(', ')}.`
    case 'commander.unknownCommand':
      return describeUnknown(command.args[0] ?? '', command)
    case 'commander.missingArgument': {
      const missing = command.registeredArguments.find(({ required }, index) => required && !(index in command.args))
      return `${name} needs ${missing?.description ?? 'more'}.`
    }
    case 'commander.excessArguments':
      return `"${command.args[command.registeredArguments.length]}" is one word too many.`
    case 'commander.unknownOption':
      return describeUnknownOption(/'-{1,2}(.*)'/.exec(said)?.[1] ?? '', command)
    case 'commander.invalidArgument':
      return asSentence(said.replace(/^.*? is invalid(?: for argument '[^']*')?\. /, ''))
    default:
      return asSentence(said)
  }
}

function describeUnknown(word: string, group: Command): string {
  const path = `${pathOf(group)} ${word}`.trim()
  return `There is no command "${path}"${didYouMean(word, namesIn(group))}.`
}

function describeUnknownOption(option: string, command: Command): string {
  const root = rootOf(command)
  if (/^url(=|$)/.test(option)) return describeLocal(command, root)
  const known = allCommands(root).flatMap((one) => one.options.map(({ long }) => (long ?? '').replace(/^--/, '')))
  if (known.includes(option)) return `"factotum ${pathOf(command)}" takes no option --${option}.`
  return `There is no option "${option}"${didYouMean(option, known)}.`
}

/** Of a command that talks to no server. */
function describeLocal(command: Command, root: Command): string {
  const overNetwork = root.commands.filter((one) =>
    allCommands(one).some(({ options }) => options.some(({ long }) => long === '--url')),
  )
  return (
    `"factotum ${pathOf(command)}" works on the machine of the server alone, ` +
    `with its FACTOTUM_HOME (--home) and DATABASE_URL: run it there. Over the network work: ${overNetwork.map((one) => one.name()).join(', ')}.`
  )
}

interface Misplaced {
  readonly program: Command
  /** The command was named; else it is what is meant when none is. */
  readonly isServe: boolean
}

function describeMisplaced([word = '']: readonly string[], { program, isServe }: Misplaced): string {
  if (isServe) return `"${word}" is one word too many.`
  if (namesIn(program).includes(word)) return `The command comes before its options: factotum ${word} ….`
  return describeUnknown(word, program)
}

function namesIn(group: Command): string[] {
  return group.commands.map((command) => command.name())
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent)
}

function asSentence(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.…]$/.test(sentence) ? sentence : `${sentence}.`
}
