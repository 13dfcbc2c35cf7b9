/** The rule for what a message may contain: 1 byte to 256 KiB of UTF-8 that can be stored as it is. */
import type { InputIssue } from '../../core/refusal.ts'
import { unstorable } from '../../core/text/text-rule.ts'

/** Bytes of UTF-8, of what is sent as well as of what is appended. */
export const MAX_CONTENT_BYTES = 256 * 1024

const PATH = ['content']

/** White space, and what cannot be seen. */
const BLANK = /^[\s\p{Z}\p{Cf}\u2800\u3164]*$/u

/** What is blank says nothing: there is nothing to serve, or to put on record. */
export function contentIssues(content: string): InputIssue[] {
  if (content === '') return [{ path: PATH, message: 'must not be empty' }]
  if (BLANK.test(content)) return [{ path: PATH, message: 'must not be blank' }]
  const bytes = Buffer.byteLength(content)
  if (bytes > MAX_CONTENT_BYTES) {
    return [{ path: PATH, message: `must be at most ${MAX_CONTENT_BYTES} bytes (256 KiB) of UTF-8, not ${bytes}` }]
  }
  const problem = unstorable(content)
  return problem === null ? [] : [{ path: PATH, message: problem }]
}
