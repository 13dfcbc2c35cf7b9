/**
 * A long text as a model is shown it: its beginning and its end, where most is said, with a note of what is missing.
 * For an output the note says what to do about it, or a planner runs the same command again and again to see the rest.
 */
export interface PreviewLimit {
  readonly maxChars: number
}

export function preview(text: string, limit: PreviewLimit): string {
  return cut(text, limit, '')
}

/** `file`: the file of the workspace in which the output stands; null: it is kept nowhere. */
export function previewOutput(text: string, limit: PreviewLimit, file: string | null): string {
  const advice =
    file === null
      ? ' To see more, ask for less: grep, head, sed -n.'
      : ` All that was kept of it is in the file ${file}: read from that what is needed, with grep, head or sed -n.`
  return cut(text, limit, advice)
}

/** Errors and sums stand at the end more often than at the beginning. */
const HEAD_SHARE = 0.4

function cut(text: string, { maxChars }: PreviewLimit, advice: string): string {
  if (text.length <= maxChars) return text
  const head = text.slice(0, Math.ceil(maxChars * HEAD_SHARE)).replace(/[\uD800-\uDBFF]$/, '')
  const tail = text.slice(text.length - Math.floor(maxChars * (1 - HEAD_SHARE))).replace(/^[\uDC00-\uDFFF]/, '')
  const missing = text.length - head.length - tail.length
  return `${head}\n[${missing} of ${text.length} characters are left out here.${advice}]\n${tail}`
}
