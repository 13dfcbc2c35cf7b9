/** `factotum backup`, `restore` and `move-to` (src/transfer/backup carries them out). Pure. */
import type { Command } from 'commander'
import type { Flags } from '../schema/environment.ts'
import { checked, withHome, type Found } from './command-options.ts'

export type BackupAction =
  | { readonly do: 'backup'; readonly file: string; readonly files: boolean; readonly workspaces: boolean }
  | { readonly do: 'restore'; readonly file: string }
  | { readonly do: 'move-to'; readonly databaseUrl: string }

interface BackupFlags extends Flags {
  readonly files?: true
  readonly workspaces?: true
}

export function declareBackup(program: Command, found: Found<BackupAction>): void {
  withHome(program.command('backup'))
    .description(
      'Writes the whole database into a file, as of one moment, also while servers work on it. Not in it: secrets, config.toml, .env; published files and workspaces only as asked for.',
    )
    .argument('<file>', 'the file to write')
    .option('--files', 'Also the published files.')
    .option('--workspaces', 'Also the workspaces of sessions.')
    .action((file: string, { files, workspaces, ...flags }: BackupFlags) =>
      found({ do: 'backup', file, files: files === true, workspaces: workspaces === true }, flags),
    )
  withHome(program.command('restore'))
    .description(
      'Fills an empty database, and the home, from such a file, whole or not at all. Start the copy with "serve --paused" first: it fires no schedule, posts nothing and runs nothing.',
    )
    .argument('<file>', 'the file of a backup')
    .action((file: string, flags: Flags) => found({ do: 'restore', file }, flags))
  withHome(program.command('move-to'))
    .description('Copies everything from the database of this home, whose server is stopped, into another, empty one.')
    .argument(
      '<database-url>',
      'the address of the other database',
      checked((url) => (/^postgres(ql)?:\/\//.test(url) ? null : 'It must be an address such as postgres://….')),
    )
    .action((databaseUrl: string, flags: Flags) => found({ do: 'move-to', databaseUrl }, flags))
}
