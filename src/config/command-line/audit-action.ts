/** `factotum audit …`: what to do with the audit (src/audit/audit-command.ts does it). Pure. */
import type { Command } from 'commander'
import type { Flags } from '../schema/environment.ts'
import { checked, checkedDay, withHome, type Found } from './command-options.ts'

export interface AuditAction {
  readonly do: 'verify'
  /** UTC, such as "2026-11-21"; null: all days. */
  readonly day: string | null
  /** Null: it is compared with nothing. */
  readonly kept: KeptSeal | null
}

/** A seal of the audit as it was shown before. */
export interface KeptSeal {
  readonly n: number
  /** 64 hexadecimal digits, in lower case. */
  readonly hash: string
}

export function declareAudit(program: Command, found: Found<AuditAction>): void {
  const audit = program.command('audit').description('Proves that the audit is whole.')
  withHome(audit.command('verify'))
    .description(
      'Recomputes the chain of hashes over the audit: whether an entry was changed, removed or added (exit code 1). Shows the newest hash: kept elsewhere, and given back with --kept, it proves all that came before it.',
    )
    .option('--day <day>', 'Only this day (UTC).', checkedDay('--day'))
    .option('--kept <seal>', 'A seal that it showed before, NUMBER:HASH: it must still be there.', checkedSeal)
    .action(({ day, kept, ...flags }: Flags & { day?: string; kept?: string }) =>
      found({ do: 'verify', day: day ?? null, kept: kept === undefined ? null : readKeptSeal(kept) }, flags),
    )
}

function readKeptSeal(text: string): KeptSeal | null {
  const [, n, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i.exec(text) ?? []
  return n === undefined || hash === undefined ? null : { n: Number(n), hash: hash.toLowerCase() }
}

const checkedSeal = checked((text) =>
  readKeptSeal(text) === null ? `--kept must be the number and the hash of a seal, 812:4f0c…; it is "${text}".` : null,
)
