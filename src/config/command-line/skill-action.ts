/** `factotum skill …`: what to do with the skills below FACTOTUM_HOME (src/execution/skills carries it out). Pure. */
import type { Command } from 'commander'
import type { Flags } from '../schema/environment.ts'
import { withHome, type Found } from './command-options.ts'

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

interface DepsFlags {
  readonly deps: boolean
  readonly yes?: true
}

export function declareSkill(program: Command, found: Found<SkillAction>): void {
  const skill = program.command('skill').description('Installs, lists, updates and removes skills.')
  withDeps(withHome(skill.command('install')))
    .description(
      'Installs a skill. Shows its deps.sh and asks before running it; --yes does not ask, --no-deps does not run it. A running server sees the skill at once; allow it in [users.<name>] skills.',
    )
    .argument('<source>', 'a git URL or a folder')
    .option('--name <folder>', 'The name of its folder.')
    .action((source: string, { name, deps, yes, ...flags }: Flags & DepsFlags & { name?: string }) =>
      found({ do: 'install', source, name: name ?? null, choices: choicesOf({ deps, ...(yes && { yes }) }) }, flags),
    )
  withHome(skill.command('list'))
    .description('Lists the skills, and the folders that hold none that works.')
    .action((flags: Flags) => found({ do: 'list' }, flags))
  withDeps(withHome(skill.command('update')))
    .description('Fetches a skill again from where it came from; if that fails, the old one stays.')
    .argument('[name]', 'the name of a skill')
    .option('--all', 'All of them.')
    .action((name: string | undefined, flags: Flags & DepsFlags & { all?: true }, command: Command) => {
      const { all, deps, yes, ...place } = flags
      if ((name === undefined) === (all !== true))
        command.error('"factotum skill update" needs either the name of a skill or --all.')
      found({ do: 'update', name: name ?? null, choices: choicesOf({ deps, ...(yes && { yes }) }) }, place)
    })
  withHome(skill.command('remove'))
    .description('Removes a skill.')
    .argument('<name>', 'the name of a skill; "factotum skill list" shows them')
    .action((name: string, flags: Flags) => found({ do: 'remove', name }, flags))
}

function withDeps(command: Command): Command {
  return command.option('--no-deps', 'Does not run deps.sh.').option('--yes', 'Runs deps.sh without asking.')
}

function choicesOf({ deps, yes }: DepsFlags): SkillChoices {
  return { skipDeps: !deps, yes: yes === true }
}
