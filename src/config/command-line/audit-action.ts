/** `factotum audit …`: what to do with the audit (src/audit/audit-command.ts does it). Pure. */
import type { Command } from 'commander'
import type { Flags } from '../schema/environment.ts'
import { checkedDay, withHome, type Found } from './command-options.ts'

export interface AuditAction {
  readonly do: 'verify'
  /** UTC, such as "2026-11-21"; null: all days. */
  readonly day: string | null
}

export function declareAudit(program: Command, found: Found<AuditAction>): void {
  const audit = program.command('audit').description('Proves that the audit is whole.')
  withHome(audit.command('verify'))
    .description(
      'Recomputes the chain of hashes over the audit: whether an entry was changed, removed or added (exit code 1). Shows the newest hash: kept elsewhere, it proves all that came before it.',
    )
    .option('--day <day>', 'Only this day (UTC).', checkedDay('--day'))
    .action(({ day, ...flags }: Flags & { day?: string }) => found({ do: 'verify', day: day ?? null }, flags))
}
