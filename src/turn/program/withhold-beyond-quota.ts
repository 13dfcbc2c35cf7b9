/**
 * What a user publishes beyond their quota (src/config/schema/quotas.ts) is not published: its copy is removed, and the
 * task's output says why.
 */
import { userQuota } from '../../config/schema/quotas.ts'
import type { Publication } from '../../execution/workspace/publication.ts'
import { removePublishedBytes } from '../../store/files/published-bytes.ts'
import { takePublishedBytes } from '../../store/files/published-quota.ts'
import type { TurnContext } from '../turn-context.ts'
import { inMib } from './workspace-allowance.ts'

type QuotaContext = Pick<TurnContext, 'turn' | 'config' | 'database' | 'home'>

/** Called once nothing else keeps the files from being recorded: what it lets through counts. */
export async function withholdBeyondQuota(
  { turn, config, database, home }: QuotaContext,
  publication: Publication,
): Promise<Publication> {
  const { userName } = turn
  const { publishedBytes: quotaBytes } = userQuota(config.current(), userName)
  const { files, notes } = publication
  if (quotaBytes === null || files.length === 0) return publication
  const { ids, usedBytes } = await takePublishedBytes(database, { userName, quotaBytes }, files)
  const withheld = files.filter(({ id }) => !ids.has(id))
  if (withheld.length === 0) return publication
  await removePublishedBytes(
    home,
    withheld.map(({ id }) => id),
  )
  const why =
    `files that ${userName} publishes may have ${inMib(quotaBytes)} together, and have ${inMib(usedBytes)}. ` +
    'Delete sessions whose files are no longer needed, or ask an administrator for more'
  const added = withheld.map(({ name, size }) => `${name} (${inMib(size)}) was not published: ${why}.`)
  return { files: files.filter(({ id }) => ids.has(id)), notes: [...notes, ...added] }
}
