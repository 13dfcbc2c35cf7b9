/** `factotum token …`: what token to make (src/config/command-line/add-token.ts does it). Pure. */
import type { Command } from 'commander'
import type { Flags } from '../schema/environment.ts'
import { checked, withHome, type Found } from './command-options.ts'

export interface TokenAction {
  readonly kind: 'user' | 'connector'
  /** Whom it acts for; null: the only admin. Always null for connectors. */
  readonly user: string | null
  /** The sessions a connector may touch; null: not said. Always null for users. */
  readonly namespace: string | null
  /** Of the section; null: after the user or the namespace. */
  readonly name: string | null
  /** Only shows what config.toml would have to hold. */
  readonly print: boolean
}

interface TokenFlags extends Flags {
  readonly kind?: 'user' | 'connector'
  readonly user?: string
  readonly namespace?: string
  readonly name?: string
  readonly print?: true
}

/** A parser of the kind of a token. */
export const tokenKindValue = checked((kind) =>
  kind === 'user' || kind === 'connector' ? null : `--kind must be "user" or "connector"; it is "${kind}".`,
)

export function declareToken(program: Command, found: Found<TokenAction>): void {
  withHome(program.command('token'))
    .description(
      "Makes another token, writes its hash into config.toml and shows it, once. Without options it is the only admin's. --print changes no file, and shows what to paste into it.",
    )
    .option('--user <user>', 'Whom it acts for.')
    .option('--kind <kind>', '"user" or "connector".', tokenKindValue)
    .option('--namespace <name>', 'Of a connector: the sessions that it may touch.')
    .option('--name <name>', 'Of the token.')
    .option('--print', 'Changes no file.')
    .action((options: TokenFlags, command: Command) => {
      const { kind = 'user', user = null, namespace = null, name = null, print, ...flags } = options
      if (kind === 'connector' && user !== null)
        command.error('A connector names the sender of each message: it takes no --user.')
      if (kind === 'user' && namespace !== null) command.error('--namespace is for connectors: add --kind connector.')
      found({ kind, user, namespace, name, print: print === true }, flags)
    })
}
