/**
 * `factotum skill …` as words → what to do with the skills below FACTOTUM_HOME (src/execution/skills carries it out).
 * Pure.
 */
import { didYouMean } from '../closest.ts'

export type SkillAction =
  | {
      readonly do: 'install'
      /** A git URL or a folder. */
      readonly source: string
      /** The name of the folder in `skills`; null: from the source. */
      readonly name: string | null
      readonly choices: SkillChoices
    }
  | { readonly do: 'list' }
  /** `name` null: all. */
  | { readonly do: 'update'; readonly name: string | null; readonly choices: SkillChoices }
  | { readonly do: 'remove'; readonly name: string }

export interface SkillChoices {
  /** deps.sh is not run. */
  readonly skipDeps: boolean
  /** deps.sh is run without asking. */
  readonly yes: boolean
}

export interface SkillFlags {
  readonly name?: string | undefined
  readonly 'no-deps'?: boolean | undefined
  readonly yes?: boolean | undefined
  readonly all?: boolean | undefined
}

type FlagName = keyof SkillFlags

/** Which options each command takes besides --home. */
const TAKES: Readonly<Record<SkillAction['do'], readonly FlagName[]>> = {
  install: ['name', 'no-deps', 'yes'],
  list: [],
  update: ['no-deps', 'yes', 'all'],
  remove: [],
}

/** `words` after "skill". The action, or a sentence that says what is wrong. */
export function parseSkillAction(words: readonly string[], flags: SkillFlags): SkillAction | string {
  const [command, argument, surplus] = words
  const commands = Object.keys(TAKES)
  if (command === undefined) return `"factotum skill" needs one of: ${commands.join(', ')}.`
  if (!isCommand(command)) return `There is no command "skill ${command}"${didYouMean(command, commands)}.`
  if (surplus !== undefined) return `"${surplus}" is one word too many.`
  const wrong = (Object.keys(flags) as FlagName[]).find((flag) => !TAKES[command].includes(flag))
  if (wrong !== undefined) return `"factotum skill ${command}" takes no option --${wrong}.`
  const choices = { skipDeps: flags['no-deps'] === true, yes: flags.yes === true }
  switch (command) {
    case 'install':
      return argument === undefined
        ? '"factotum skill install" needs a git URL or a folder.'
        : { do: 'install', source: argument, name: flags.name ?? null, choices }
    case 'list':
      return argument === undefined ? { do: 'list' } : `"${argument}" is one word too many.`
    case 'remove':
      return argument === undefined
        ? '"factotum skill remove" needs the name of a skill; "factotum skill list" shows them.'
        : { do: 'remove', name: argument }
    case 'update':
      if ((argument === undefined) !== (flags.all === true)) {
        return '"factotum skill update" needs either the name of a skill or --all.'
      }
      return { do: 'update', name: argument ?? null, choices }
  }
}

function isCommand(word: string): word is SkillAction['do'] {
  return Object.hasOwn(TAKES, word)
}
