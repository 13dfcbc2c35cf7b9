/**
 * Redaction throughput: a text like a log without secrets in it (the common case, in which every character must be
 * examined), whole and in pieces as a command prints it. The floor reads every character once and does nothing with
 * it.
 */
import { randomHex } from '../src/platform/random.ts'
import { must } from '../src/platform/must.ts'
import { Redactor } from '../src/secrets/redaction.ts'
import { StreamRedactor } from '../src/secrets/stream-redactor.ts'
import { median, show } from './figures.ts'
import type { Row } from './table.ts'

const TEXT_CHARS = 1024 * 1024
const PIECE_CHARS = 8192
const SECRETS = [0, 10, 100] as const
const PER_ROUND = 10

export function measureRedaction({ rounds }: { readonly rounds: number }): Row[] {
  const texts = [makeText(), makeText()]
  const floor = throughput(rounds, () => countUnits(next(texts)))
  return SECRETS.flatMap((count) => {
    const redactor = Redactor.of(Array.from({ length: count }, () => randomHex(16)))
    const whole = throughput(rounds, () => redactor.redact(next(texts)).length)
    const streamed = throughput(rounds, () => streamThrough(redactor, next(texts)))
    return [
      row(`redaction, ${count} secrets, whole text`, whole, count === 0 ? null : floor),
      row(`redaction, ${count} secrets, in pieces`, streamed, count === 0 ? null : floor),
    ]
  })
}

/** In turns: a text that was found without secrets just now is not read again. */
function next(texts: string[]): string {
  const text = must(texts.shift(), 'there are two')
  texts.push(text)
  return text
}

function row(what: string, value: number, floor: number | null): Row {
  if (floor === null) return { what, value: 'nothing', floor: '', ratio: '', note: 'the text is handed on as it is' }
  return {
    what,
    value: `${show(value)} MB/s`,
    floor: `${show(floor)} MB/s`,
    ratio: show(value / floor),
    note: `${show(1000 / value)} ms/MB`,
  }
}

/** Characters a second, in millions; of ASCII text that is MB/s. */
function throughput(rounds: number, run: () => number): number {
  const rates: number[] = []
  let sum = run()
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now()
    for (let count = 0; count < PER_ROUND; count++) sum += run()
    rates.push((PER_ROUND * TEXT_CHARS) / 1000 / (performance.now() - startedMs))
  }
  // What was computed must be used, or nothing need be.
  if (sum < 0) throw new Error('lengths are not negative')
  return median(rates)
}

function streamThrough(redactor: Redactor, text: string): number {
  const stream = new StreamRedactor(() => redactor)
  let length = 0
  for (let from = 0; from < text.length; from += PIECE_CHARS) {
    stream.push(text.slice(from, from + PIECE_CHARS))
    length += stream.sayUntil(stream.length).length
  }
  return length
}

function countUnits(text: string): number {
  let sum = 0
  for (let index = 0; index < text.length; index++) sum += text.charCodeAt(index) & 1
  return sum
}

function makeText(): string {
  const lines = Array.from({ length: TEXT_CHARS / 64 }, (_, n) =>
    `2026-11-21T19:25:00Z GET /api/users/${n} 200 id=${randomHex(5)} took ${n % 97} ms`.slice(0, 63).padEnd(63, '.'),
  )
  return `${lines.join('\n')}\n`
}
