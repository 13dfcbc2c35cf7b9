/**
 * `factotum audit verify`: recomputes the chain of the audit and says on the console what came of it. Called by cli.ts.
 */
import { connectClient } from '../store/connection/connect-client.ts'
import type { Statement } from '../store/database.ts'
import { toAppError } from '../store/to-app-error.ts'
import { verifyAudit, type AuditReport } from './verify-audit.ts'

export interface AuditCommandOptions {
  readonly databaseUrl: string
  /** UTC; null: all that there is. */
  readonly day: string | null
  readonly print: (line: string) => void
}

/** Whether the audit is intact. */
export async function verifyAuditCommand({ databaseUrl, day, print }: AuditCommandOptions): Promise<boolean> {
  const report = await readReport(databaseUrl, day)
  for (const line of describe(report, day)) print(line)
  return report.problem === null && report.lateEntries === 0
}

async function readReport(databaseUrl: string, day: string | null): Promise<AuditReport> {
  const client = await connectClient(databaseUrl, 'factotum audit')
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    return await verifyAudit(
      async <Row extends object>(statement: Statement, values: readonly unknown[]) => {
        const { name, text } = statement
        return (await client.query<Row>({ name, text, values: [...values] })).rows
      },
      { day, maxEntries: Infinity },
    )
  } catch (error) {
    throw toAppError(error)
  } finally {
    await client.end()
  }
}

function describe({ problem, seals, entries, lateEntries, head }: AuditReport, day: string | null): string[] {
  const of = day === null ? 'The audit' : `The audit of ${day}`
  const lines = [
    problem === null
      ? `${of} is intact: ${entries} entries under ${seals} seals.`
      : `${of} is NOT intact. ${problem} Before that, ${entries} entries under ${seals} seals are as they were.`,
  ]
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
