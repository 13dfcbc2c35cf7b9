/** `factotum session …`: what to do with a session (src/transfer/session-command.ts does it). Pure. */
import type { Command } from 'commander'
import { isSessionId, SESSION_ID_RULE } from '../../core/session/session-id.ts'
import { idKind } from '../../platform/id.ts'
import type { Flags } from '../schema/environment.ts'
import { checked, withHome, type Found } from './command-options.ts'

export type SessionAction =
  /** `file` null: to standard output. */
  | { readonly do: 'export'; readonly sessionId: string; readonly file: string | null }
  /** `file` null: from standard input. `as` null: under the id it had. */
  | { readonly do: 'import'; readonly file: string | null; readonly as: string | null }

/** A parser of the id of a session. */
export const sessionIdValue = checked((id) => (isSessionId(id) ? null : `A session id ${SESSION_ID_RULE}.`))

export function declareSession(program: Command, found: Found<SessionAction>): void {
  const session = program.command('session').description('Moves sessions between servers.')
  withHome(session.command('export'))
    .description(
      'Writes a session as JSON Lines: people, messages, turns with all that came of them, memory, the log. Not in it: secrets, the webhook, files, facts, the audit. Without --out, to standard output.',
    )
    .argument('<id>', 'the id of a session', sessionIdValue)
    .option('--out <file>', 'Where to write.')
    .action((sessionId: string, { out, ...flags }: Flags & { out?: string }) =>
      found({ do: 'export', sessionId, file: out ?? null }, flags),
    )
  withHome(session.command('import'))
    .description(
      'Reads such a file, whole or, when a line is wrong, not at all. Refused when there is a session of this id; with --as, the session and everything in it get new ids. Turns that were open are CANCELLED.',
    )
    .argument('<file>', 'a file, or - for standard input')
    .option(
      '--as <id>',
      'The id of the copy.',
      checked((id) =>
        isSessionId(id) && idKind(id) === null
          ? null
          : `--as must be an id for the session, such as "web:copy": it ${SESSION_ID_RULE}.`,
      ),
    )
    .action((file: string, { as, ...flags }: Flags & { as?: string }) =>
      found({ do: 'import', file: file === '-' ? null : file, as: as ?? null }, flags),
    )
}
