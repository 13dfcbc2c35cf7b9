/** `factotum retention`: counts what is old (src/retention/retention-command.ts does it). Pure. */
import type { Command } from 'commander'
import type { Flags } from '../schema/environment.ts'
import { checked, withHome, type Found } from './command-options.ts'

export interface RetentionAction {
  /** Instead of what `[retention]` says of each kind; null: that. */
  readonly days: number | null
}

const MAX_DAYS = 36_500

export function declareRetention(program: Command, found: Found<RetentionAction>): void {
  withHome(program.command('retention'))
    .description(
      'Counts what is older than [retention] of config.toml allows, and removes nothing: the server does, every hour. --days shows what a setting would remove before it is made.',
    )
    .requiredOption('--dry-run', 'Only counts; there is nothing else that it does.')
    .option(
      '--days <days>',
      'As if everything were kept for so many days.',
      checked((days) =>
        isDays(days) ? null : `--days must be a whole number from 1 to ${MAX_DAYS}; it is "${days}".`,
      ),
    )
    .action(({ days, dryRun: _dryRun, ...flags }: Flags & { days?: string; dryRun: true }) =>
      found({ days: days === undefined ? null : Number(days) }, flags),
    )
}

function isDays(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_DAYS
}
