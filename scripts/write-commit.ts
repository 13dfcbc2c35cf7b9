/** Says in a release which commit it is of. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commitOfBuild } from '../src/platform/commit-of-build.ts'

/** FACTOTUM_COMMIT is for builds of copies without a history, as an image is: else git is asked. */
export async function writeCommit(
  dist: string,
  { FACTOTUM_COMMIT }: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const commit = FACTOTUM_COMMIT === undefined || FACTOTUM_COMMIT === '' ? await commitOfBuild() : FACTOTUM_COMMIT
  if (commit !== null) await writeFile(join(dist, 'commit'), `${commit}\n`)
}
