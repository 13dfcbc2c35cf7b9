/** What a filter finds as JSON Lines, newest first, as a file that the browser saves. */
import { run } from '../../data/client.ts'
import { AuditPageDocument, type AuditFilter } from '../../generated/graphql.ts'
import { saveFile } from '../../ui/display/save-file.ts'

/** Of one file; more are better taken from the database. */
export const MOST_EXPORTED = 10_000
const PAGE = 100

/** Returns how many entries are in the file. Throws ClientError. */
export async function exportAudit(filter: AuditFilter): Promise<number> {
  const lines: string[] = []
  let after: string | null = null
  do {
    const { audit }: Awaited<ReturnType<typeof readPage>> = await readPage(filter, after)
    for (const { node } of audit?.edges ?? []) lines.push(JSON.stringify(node))
    after = audit?.pageInfo.hasNextPage === true ? (audit.pageInfo.endCursor ?? null) : null
  } while (after !== null && lines.length < MOST_EXPORTED)
  const content = new Blob([`${lines.join('\n')}\n`], { type: 'application/jsonl' })
  saveFile(`audit-${new Date().toISOString().slice(0, 10)}.jsonl`, content)
  return lines.length
}

function readPage(filter: AuditFilter, after: string | null) {
  return run(AuditPageDocument, { first: PAGE, after, filter })
}
