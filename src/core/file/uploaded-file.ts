/** A file that a user puts into a session: its name and how much there may be of them. */
import { publishedName } from './published-file.ts'

/** Of one file. */
export const MAX_UPLOAD_BYTES = 25 * 1024 * 1024
/** Of one session, each name counted once. */
export const MAX_UPLOADED_FILES = 200
/** Of one message. */
export const MAX_ATTACHMENTS = 10
/** Where they lie, relative to the workspace. */
export const UPLOADS_FOLDER = 'uploads'

const MAX_SHORTENED_CHARS = 1000

/** As it is stored: browsers of some systems send letters and their accents apart. */
export function uploadName(name: string): string {
  return name.toWellFormed().normalize('NFC')
}

/**
 * Why a file cannot have this name; null: it can. A name is never changed behind the sender's back, as attachments and
 * commands go by it.
 */
export function uploadNameProblem(name: string): string | null {
  if (name.startsWith('.')) return 'must not begin with a dot'
  // Of a longer one nothing is suggested but its end: to shorten it would take as long as its sender likes.
  const possible = publishedName(name.slice(-MAX_SHORTENED_CHARS))
  return possible === name
    ? null
    : `must be 1 to 120 characters, in at most 255 bytes, without / \\ : * ? " < > |, control characters or spaces at its ends, such as "${possible}"`
}
