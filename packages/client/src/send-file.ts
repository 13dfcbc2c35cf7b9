/** `PUT /files/<session>/<name>`: a file for the session's workspace. */
import { ClientError, type ServerError } from './client-error.ts'
import type { Connection, FileBody } from './connection.ts'

/** The file is stored. `size` is in bytes; `contentType` is by its name, as the server serves it. */
export interface Uploaded {
  readonly __typename: 'Uploaded'
  readonly name: string
  readonly size: number
  readonly contentType: string
}

/** Such as NOT_FOUND, or LIMIT_EXCEEDED for one that is too large. */
export interface UploadRefused {
  readonly __typename: 'UploadRefused'
  readonly code: string
  readonly problem: string
}

interface FileToSend {
  readonly sessionId: string
  readonly name: string
  readonly body: FileBody
  /** Whom it is from; undefined: the user of the token. */
  readonly user: string | undefined
  readonly signal: AbortSignal
}

/** Sent once: sending it again replaces it, so repeating does no harm. */
export async function sendFile(
  connection: Connection,
  { sessionId, name, body, user, signal }: FileToSend,
): Promise<Uploaded | UploadRefused> {
  const from = user === undefined ? '' : `?user=${encodeURIComponent(user)}`
  const path = `/files/${encodeURIComponent(sessionId)}/${encodeURIComponent(name)}${from}`
  const answer = await connection.put(path, body, signal)
  if ('problem' in answer) return { __typename: 'UploadRefused', ...answer } as UploadRefused
  if ('name' in answer) return { __typename: 'Uploaded', ...answer } as Uploaded
  throw ClientError.ofServer(answer['errors'] as ServerError[])
}
