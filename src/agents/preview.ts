/**
 * A long text as a model is shown it: its beginning and its end, where commands say most, with a note of what is missing.
 * The note says what to do about it, or a planner runs the same command again and again to see the rest.
 */
export interface PreviewLimit {
  readonly maxChars: number
}

/** `file`: where the whole text stands, for those who can read files. */
export function preview(text: string, { maxChars }: PreviewLimit, file: string | null = null): string {
  if (text.length <= maxChars) return text
  const head = text.slice(0, Math.ceil(maxChars * HEAD_SHARE)).replace(/[\uD800-\uDBFF]$/, '')
  const tail = text.slice(text.length - Math.floor(maxChars * (1 - HEAD_SHARE))).replace(/^[\uDC00-\uDFFF]/, '')
  const missing = text.length - head.length - tail.length
  const advice =
    file === null
      ? 'To see more, ask for less: grep, head, sed -n.'
      : `All of it is in the file ${file}: read from that what is needed, with grep, head or sed -n.`
  return `${head}\n[${missing} of ${text.length} characters are left out here. ${advice}]\n${tail}`
}

/** Errors and sums stand at the end more often than at the beginning. */
const HEAD_SHARE = 0.4
