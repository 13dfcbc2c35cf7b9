/** A short number as a person types it: "#1284". */
const NUMBER = /^\s*#(\d{1,9})\s*$/

/** Null: the text is none. */
export function readNumber(text: string): number | null {
  const digits = NUMBER.exec(text)?.[1]
  return digits === undefined ? null : Number(digits)
}
