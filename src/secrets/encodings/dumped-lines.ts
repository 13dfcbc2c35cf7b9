/** Lines of a dump, joined: what a secret was dumped as goes on from line to line. */
import type { DecodedView } from './decoded-view.ts'
import type { Span } from './span.ts'

export interface DumpedLine extends Span {
  /** What it dumps; a character for each byte. */
  readonly bytes: string
}

/** Fewer hold no secret. */
const MIN_BYTES = 8

/**
 * A view for each run of lines that follow on one another in `source`. What is found in one stands for its lines,
 * whole: beside the numbers, many dumps show the letters.
 */
export function joinDumped(lines: readonly DumpedLine[], source: string): DecodedView[] {
  const runs: DumpedLine[][] = []
  for (const line of lines) {
    const run = runs.at(-1)
    const before = run?.at(-1)
    if (run !== undefined && before !== undefined && isNext(source, before, line)) run.push(line)
    else runs.push([line])
  }
  return runs.map(viewOf).filter(({ text }) => text.length >= MIN_BYTES)
}

function isNext(source: string, { end }: Span, { start }: Span): boolean {
  return start - end <= 2 && source.slice(end, start).trim() === ''
}

function viewOf(run: readonly DumpedLine[]): DecodedView {
  const spanOf = ({ start, end }: Span): Span => {
    let [count, first, last] = [0, Infinity, 0]
    for (const line of run) {
      const from = count
      count += line.bytes.length
      if (count <= start || from >= end) continue
      first = Math.min(first, line.start)
      last = line.end
    }
    return { start: first, end: last }
  }
  return { text: run.map(({ bytes }) => bytes).join(''), spanOf }
}
