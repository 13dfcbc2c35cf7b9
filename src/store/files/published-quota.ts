/**
 * How many bytes of published files a user has: those that can still be had, and those that are about to be recorded
 * with the end of their task (`publishing_files`), so that two tasks that end at once do not both get what is left.
 */
import type { Database } from '../database.ts'

interface TakenFiles {
  /** Those that may be published. They count from now on, for ten minutes also when they are not recorded. */
  readonly ids: ReadonlySet<string>
  readonly usedBytes: number
}

/**
 * Of `files`, in their order, those that fit into the quota; `take_published_bytes` is in the migrations. On repeat
 * they count once.
 */
export async function takePublishedBytes(
  database: Database,
  { userName, quotaBytes }: { readonly userName: string; readonly quotaBytes: number },
  files: readonly { readonly id: string; readonly size: number }[],
): Promise<TakenFiles> {
  const [ids, sizes] = [files.map(({ id }) => id), files.map(({ size }) => size)]
  const [row] = await database.query<{ taken: string[]; used: number }>(TAKE, [userName, quotaBytes, ids, sizes])
  return { ids: new Set(row?.taken), usedBytes: row?.used ?? 0 }
}

const TAKE = {
  name: 'published-quota.take',
  text: 'SELECT taken, used::float8 AS used FROM take_published_bytes($1, $2, $3, $4)',
}
