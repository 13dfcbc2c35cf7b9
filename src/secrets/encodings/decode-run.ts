/** A part of a text that is written in a code, decoded. Called where one may stand (base64-runs.ts, redaction.ts). */
import type { DecodedView } from './decoded-view.ts'
import type { GroupCode } from './group-codes.ts'
import type { Span } from './span.ts'

/** One view for each place in a group that the part may begin at, which is unknown: words may stand in front. */
export function decodeRun(text: string, run: Span, code: GroupCode): DecodedView[] {
  const written = text.slice(run.start, run.end)
  const chars = written.replace(code.foreign, '')
  return Array.from({ length: code.groupChars }, (_, skipped) => ({
    text: code.decode(chars.slice(skipped)),
    spanOf: ({ start, end }) => {
      const first = skipped + Math.floor((start * 8) / code.bitsOfCharacter)
      const last = skipped + Math.ceil((end * 8) / code.bitsOfCharacter) - 1
      const places = placesOf(written, code.foreign)
      return { start: run.start + (places[first] ?? 0), end: run.start + (places[last] ?? written.length - 1) + 1 }
    },
  }))
}

/** Where the characters of the code stand. */
function placesOf(written: string, foreign: RegExp): number[] {
  const left = new Set([...written.matchAll(foreign)].map(({ index }) => index))
  return Array.from(written, (_, place) => place).filter((place) => !left.has(place))
}
