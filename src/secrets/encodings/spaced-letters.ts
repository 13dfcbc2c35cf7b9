/**
 * Letters apart: "s e c r e t", "s-e-c", one a line, `"s", "e", "c"`, or with the zeros of UTF-16 in between. Called
 * for every text that is redacted (redaction.ts); in linear time, most of a text is not read at all.
 *
 * Between the letters stands the same each time: so from each character to the one `stride` further on nothing changes,
 * but for the letters, which are `stride` apart.
 */
import type { DecodedView } from './decoded-view.ts'
import type { Span } from './span.ts'

/** One to four characters between two letters. */
const STRIDES = [2, 3, 4, 5]
const MIN_LETTERS = 8

/** So many times in a row a letter may be the same as the one before. */
const MAX_SAME = 16

export function spacedLetters(text: string): DecodedView[] {
  return STRIDES.flatMap((stride) => viewsOf(text, stride))
}

/**
 * Eight letters take more than seven strides, so one of the places that are sampled has two strides of them behind
 * it.
 */
function viewsOf(text: string, stride: number): DecodedView[] {
  const views: DecodedView[] = []
  for (let at = 0; at + 2 * stride <= text.length;) {
    const change = onlyChange(text, at, stride)
    if (typeof change === 'string') {
      at += change === 'NONE' ? stride : 4 * stride
      continue
    }
    const run = runAround(text, change, stride)
    if (run.end - run.start > (MIN_LETTERS - 1) * stride) views.push(...lettersOf(text, run, stride))
    // The next one begins at the end of this one, not earlier.
    at = Math.max(at + stride, run.end - 2 * stride)
  }
  return views
}

/**
 * The one place from `at` on, within a stride, where the character a stride further on is another: a letter, if the
 * rest is so too.
 */
function onlyChange(text: string, at: number, stride: number): number | 'NONE' | 'MORE' {
  let change = -1
  for (let index = at; index < at + stride; index++) {
    if (isSame(text, index, stride)) continue
    if (change >= 0) return 'MORE'
    change = index
  }
  return change < 0 ? 'NONE' : change
}

function isSame(text: string, index: number, stride: number): boolean {
  return text.charCodeAt(index) === text.charCodeAt(index + stride)
}

/** From the first letter to behind the last, with the same between any two of them. `letter`: the place of one. */
function runAround(text: string, letter: number, stride: number): Span {
  let [start, last] = [letter, letter]
  for (let same = 0; start >= stride && goesOn(text, start - stride, stride); start -= stride)
    if ((same = isSame(text, start - stride, stride) ? same + 1 : 0) > MAX_SAME) break
  for (let same = 0; last + stride < text.length; last += stride) {
    if (last > letter && !goesOn(text, last - stride, stride)) break
    if ((same = isSame(text, last, stride) ? same + 1 : 0) > MAX_SAME) break
  }
  return { start, end: last + 1 }
}

/** Whether behind the letter here stands the same as behind the next. */
function goesOn(text: string, letter: number, stride: number): boolean {
  for (let index = letter + 1; index < letter + stride; index++) if (!isSame(text, index, stride)) return false
  return true
}

/** None, where the letters are mostly blank, as in tables. */
function lettersOf(text: string, run: Span, stride: number): DecodedView[] {
  let letters = ''
  for (let place = run.start; place < run.end; place += stride) letters += text.charAt(place)
  if (letters.trim().length < MIN_LETTERS) return []
  const spanOf = ({ start, end }: Span): Span => ({
    start: run.start + start * stride,
    end: run.start + (end - 1) * stride + 1,
  })
  return [{ text: letters, spanOf }]
}
