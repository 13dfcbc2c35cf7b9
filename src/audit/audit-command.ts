/**
 * `factotum audit verify`: recomputes the chain of the audit and says on the console what came of it. Called by cli.ts.
 */
import type { KeptSeal } from '../config/command-line/audit-action.ts'
import { connectClient } from '../store/connection/connect-client.ts'
import type { Statement } from '../store/database.ts'
import { toAppError } from '../store/to-app-error.ts'
import { checkKeptSeal } from './kept-seal.ts'
import { verifyAudit, type AuditReport, type ReadRows } from './verify-audit.ts'

export interface AuditCommandOptions {
  readonly databaseUrl: string
  /** UTC; null: all that there is. */
  readonly day: string | null
  /** What was printed before; null: nothing is compared. */
  readonly kept: KeptSeal | null
  readonly print: (line: string) => void
}

/** Whether the audit is intact. */
export async function verifyAuditCommand(options: AuditCommandOptions): Promise<boolean> {
  const report = await readReport(options)
  for (const line of describe(report, options.day)) options.print(line)
  return report.problem === null && report.lateEntries === 0
}

async function readReport({ databaseUrl, day, kept }: AuditCommandOptions): Promise<AuditReport> {
  const client = await connectClient(databaseUrl, 'factotum audit')
  const read: ReadRows = async <Row extends object>({ name, text }: Statement, values: readonly unknown[]) =>
    (await client.query<Row>({ name, text, values: [...values] })).rows
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const report = await verifyAudit(read, { day, maxEntries: Infinity })
    return kept === null || report.problem !== null ? report : { ...report, problem: await checkKeptSeal(read, kept) }
  } catch (error) {
    throw toAppError(error)
  } finally {
    await client.end()
  }
}

function describe(report: AuditReport, day: string | null): string[] {
  const { problem, seals, entries, lateEntries, head, beginning } = report
  const of = day === null ? 'The audit' : `The audit of ${day}`
  const lines = [
    problem === null
      ? `${of} is intact: ${entries} entries under ${seals} seals.`
      : `${of} is NOT intact. ${problem} Before that, ${entries} entries under ${seals} seals are as they were.`,
  ]
  if (problem === null && beginning !== null)
    lines.push(`It begins behind seal ${beginning.n} of ${beginning.day}: the retention job removed what was before.`)
  if (problem === null && head !== null) {
    lines.push(`The newest seal: number ${head.n}, ${head.sealedAt}, ${head.hash.toString('hex')}`)
  }
  if (lateEntries > 0) {
    lines.push(
      `${lateEntries} entries are older than a minute and under no seal. Without a server that runs this is normal after a ` +
        'crash; otherwise see the log, or seals were removed.',
    )
  }
  return lines
}
