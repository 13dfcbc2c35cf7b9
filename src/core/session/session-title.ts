/** What a session is called where sessions are listed, until it has a description. */
import { messagePreview } from '../text/message-preview.ts'

/** Of a first message, so many characters (code points) of its first line that says something. */
const MAX_CHARACTERS = 80

/** The beginning of what was said first; null where that says nothing. */
export function titleOfMessage(content: string): string | null {
  const line = content.split('\n').find((text) => messagePreview(text) !== '')
  return line === undefined ? null : messagePreview(line, MAX_CHARACTERS)
}
