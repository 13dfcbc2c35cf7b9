/** The files that a message names: they must have been put into its session before. */
import { refuseInput, type InputIssue, type Refusal } from '../../core/refusal.ts'
import { MAX_ATTACHMENTS, uploadName } from '../../core/file/uploaded-file.ts'
import { reaches, type SessionAccess } from '../../store/intake/intake-access.ts'
import { findUploads } from '../../store/intake/intake-upload.ts'
import type { IntakeContext } from '../intake-context.ts'

interface Place {
  readonly sessionId: string
  readonly access: SessionAccess
}

/** Each name once. To who does not reach the session it has no files. */
export async function readAttachments(
  context: Pick<IntakeContext, 'database'>,
  place: Place,
  given: readonly string[],
): Promise<readonly string[] | Refusal> {
  const names = [...new Set(given.map(uploadName))]
  return refuseInput(await issuesOf(context, place, names)) ?? names
}

async function issuesOf(
  { database }: Pick<IntakeContext, 'database'>,
  { sessionId, access }: Place,
  names: readonly string[],
): Promise<InputIssue[]> {
  if (names.length === 0) return []
  if (names.length > MAX_ATTACHMENTS)
    return [{ path: ['attachments'], message: `must be at most ${MAX_ATTACHMENTS} files` }]
  const isReached = await reaches(database, access, sessionId)
  // No text of PostgreSQL holds a NUL, so no file has such a name, and asking for it would fail.
  const possible = names.filter((name) => !name.includes('\0'))
  const known = isReached ? await findUploads(database, sessionId, possible) : new Set<string>()
  return names.flatMap((name, index) =>
    known.has(name)
      ? []
      : [{ path: ['attachments', String(index)], message: 'must be the name of a file that was put into the session' }],
  )
}
