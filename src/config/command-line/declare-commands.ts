/**
 * Every command of `factotum`, declared once: what is parsed, what `--help` prints and what shells complete are made of
 * this. Each subject declares its own commands in the file of its action.
 */
import { Argument, Command } from 'commander'
import type { Flags } from '../schema/environment.ts'
import { withHome, withPlace } from './command-options.ts'
import { SHELLS, type Shell } from './completion.ts'
import { declareAudit, type AuditAction } from './audit-action.ts'
import { declareBackup, type BackupAction } from './backup-action.ts'
import { declarePlugin, type PluginAction } from './plugin-action.ts'
import { declareRemote, type RemoteAction, type RemoteFlags } from './remote-action.ts'
import { declareRetention, type RetentionAction } from './retention-action.ts'
import { declareSession, type SessionAction } from './session-action.ts'
import { declareSkill, type SkillAction } from './skill-action.ts'
import { declareToken, type TokenAction } from './token-action.ts'

/** What to carry out. */
export type CommandAction =
  | { readonly kind: 'serve'; readonly flags: Flags; readonly paused: boolean }
  /** Read config.toml, report, and exit: 0 when it is valid. */
  | { readonly kind: 'check-config'; readonly flags: Flags }
  /** Make a token. */
  | { readonly kind: 'token'; readonly flags: Flags; readonly action: TokenAction }
  /** Install, list, update or remove skills. */
  | { readonly kind: 'skill'; readonly flags: Flags; readonly action: SkillAction }
  /** Install, list or remove plugins. */
  | { readonly kind: 'plugin'; readonly flags: Flags; readonly action: PluginAction }
  /** Verify the audit. */
  | { readonly kind: 'audit'; readonly flags: Flags; readonly action: AuditAction }
  /** Export or import a session. */
  | { readonly kind: 'session'; readonly flags: Flags; readonly action: SessionAction }
  /** Copy the whole database. */
  | { readonly kind: 'backup'; readonly flags: Flags; readonly action: BackupAction }
  /** Count what is older than it is kept. */
  | { readonly kind: 'retention'; readonly flags: Flags; readonly action: RetentionAction }
  /** Checks everything that a start needs. */
  | { readonly kind: 'doctor'; readonly flags: Flags; readonly callsModels: boolean; readonly json: boolean }
  /** Print a link that logs in to the console; `user` null: the only admin. */
  | { readonly kind: 'login'; readonly flags: Flags; readonly user: string | null }
  /** Call each model once. */
  | { readonly kind: 'models-check'; readonly flags: Flags; readonly json: boolean }
  /** Talk to a server, here or elsewhere, through its API. */
  | { readonly kind: 'remote'; readonly flags: RemoteFlags; readonly action: RemoteAction }
  /** Print what a shell completes the commands with. */
  | { readonly kind: 'completion'; readonly shell: Shell }

/** The words that stand where no command was expected; `serve` takes none. */
export type SurplusWords = readonly string[]

/** `found` is called with what the command line asks for, `misplaced` with words that are no command. */
export function declareCommands(
  found: (action: CommandAction) => void,
  misplaced: (words: SurplusWords) => void = () => {},
): Command {
  const program = new Command('factotum').helpOption('-h, --help', 'Prints this.')
  program.version('', '-v, --version', 'Prints the version.').showSuggestionAfterError(false)
  declareServe(program, { found, misplaced })
  declareLogin(program, (flags, user) => found({ kind: 'login', flags, user }))
  declareToken(program, (action, flags) => found({ kind: 'token', flags, action }))
  declareChecks(program, found)
  declareSkill(program, (action, flags) => found({ kind: 'skill', flags, action }))
  declarePlugin(program, (action, flags) => found({ kind: 'plugin', flags, action }))
  declareAudit(program, (action, flags) => found({ kind: 'audit', flags, action }))
  declareSession(program, (action, flags) => found({ kind: 'session', flags, action }))
  declareBackup(program, (action, flags) => found({ kind: 'backup', flags, action }))
  declareRetention(program, (action, flags) => found({ kind: 'retention', flags, action }))
  declareRemote(program, (action, flags) => found({ kind: 'remote', flags, action }))
  declareCompletion(program, (shell) => found({ kind: 'completion', shell }))
  return program
}

interface ServeFound {
  readonly found: (action: CommandAction) => void
  readonly misplaced: (words: SurplusWords) => void
}

function declareServe(program: Command, { found, misplaced }: ServeFound): void {
  withPlace(program.command('serve', { isDefault: true }))
    .description('Starts the server.')
    .argument('[words...]')
    .option('--check-config', 'Checks config.toml, lists everything that is wrong with it, and exits (0: valid).')
    .option('--paused', 'Only answers: no turn, schedule, job, delivery or plugin moves. For a copy that was restored.')
    .action((words: SurplusWords, { checkConfig, paused, ...flags }: Flags & { checkConfig?: true; paused?: true }) => {
      if (words.length > 0) misplaced(words)
      else if (checkConfig === true) found({ kind: 'check-config', flags })
      else found({ kind: 'serve', flags, paused: paused === true })
    })
}

function declareLogin(program: Command, found: (flags: Flags, user: string | null) => void): void {
  withPlace(program.command('login'))
    .description(
      'Prints a link that logs in to the console, once, within five minutes; without --user as the only admin. It stands for a token of the user: what ends the token ends the login. With the --host and --port of the server, unless public_url says how people reach it.',
    )
    .option('--user <user>', 'Who logs in.')
    .action(({ user, ...flags }: Flags & { user?: string }) => found(flags, user ?? null))
}

function declareChecks(program: Command, found: (action: CommandAction) => void): void {
  withPlace(program.command('doctor'))
    .description(
      'Checks config.toml, disk, database, migrations, clock, port, sandbox, proxy and keys, and says how to mend what is wrong (exit code 1). --models also calls each model, which costs a few tokens.',
    )
    .option('--models', 'Also calls each model.')
    .option('--json', 'Prints JSON.')
    .action(({ models, json, ...flags }: Flags & { models?: true; json?: true }) =>
      found({ kind: 'doctor', flags, callsModels: models === true, json: json === true }),
    )
  withHome(program.command('models').description('Checks the models.').command('check'))
    .description('Calls each model of config.toml once, and says what works.')
    .option('--json', 'Prints JSON.')
    .action(({ json, ...flags }: Flags & { json?: true }) =>
      found({ kind: 'models-check', flags, json: json === true }),
    )
}

function declareCompletion(program: Command, found: (shell: Shell) => void): void {
  program
    .command('completion')
    .description(
      'Prints what a shell completes these commands with: source <(factotum completion bash), or the same for zsh, or factotum completion fish | source.',
    )
    .addArgument(new Argument('<shell>', `one of: ${SHELLS.join(', ')}`).choices(SHELLS))
    .action(found)
}
