/**
 * The bytes of published files: FACTOTUM_HOME/pub/<id>, one file each, never changed once it is there. Their rows say
 * which are to be had; bytes without a row are swept up (src/store/files/sweep-published-files.ts).
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isPublishedFileId } from '../../core/file/published-file.ts'
import { must } from '../../platform/must.ts'

/** The folder of all published files of this home; absent until the first file is published. */
export function publishedFolder(home: string): string {
  return join(home, 'pub')
}

/** `id` must be the id of a published file. */
export function publishedPath(home: string, id: string): string {
  return join(publishedFolder(home), must(isPublishedFileId(id) ? id : null, 'an id of a published file'))
}

/** No error if there are none. */
export async function removePublishedBytes(home: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await rm(publishedPath(home, id), { force: true })
}
