/** `PUT /files/<session>/<name>`: a file for the session's workspace. */
import { ClientError, type ServerError } from './client-error.ts'
import type { Connection } from './connection.ts'

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

/** A file of a browser has a name of its own. */
export type FileBody = Blob | Uint8Array<ArrayBuffer> | ArrayBuffer | string

/** Sent once: sending it again replaces it, so repeating does no harm. */
export async function sendFile(
  connection: Connection,
  { sessionId, name, body, signal }: { sessionId: string; name: string; body: FileBody; signal: AbortSignal },
): Promise<Uploaded | UploadRefused> {
  const path = `/files/${encodeURIComponent(sessionId)}/${encodeURIComponent(name)}`
  const answer = await connection.put(path, body, signal)
  if ('problem' in answer) return { __typename: 'UploadRefused', ...answer } as UploadRefused
  if ('name' in answer) return { __typename: 'Uploaded', ...answer } as Uploaded
  throw ClientError.ofServer(answer['errors'] as ServerError[])
}
