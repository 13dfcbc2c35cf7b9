/**
 * Takes a model's reasoning out of its answer, where the server leaves it in the text: `<think>…</think>` and the marks
 * that other models write. Fed in pieces; what comes out is the same however the text is cut.
 *
 * A mark counts only where a line begins and outside of a code block, so an answer may speak of one, and a JSON
 * document, whose strings hold no line break, is never changed. Reasoning that never ends takes the rest of the text.
 */

interface Mark {
  readonly open: string
  /** Empty: nothing but the mark itself is left out. */
  readonly close: string
}

const MARKS: readonly Mark[] = [
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  { open: '<thought>', close: '</thought>' },
  { open: '<reasoning>', close: '</reasoning>' },
  { open: '<reflection>', close: '</reflection>' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '[think]', close: '[/think]' },
  { open: '◁think▷', close: '◁/think▷' },
  { open: '<|begin_of_thought|>', close: '<|end_of_thought|>' },
  { open: '<|start_thinking|>', close: '<|end_thinking|>' },
  { open: '<|channel|>analysis<|message|>', close: '<|end|>' },
  { open: '<|channel|>commentary<|message|>', close: '<|end|>' },
  { open: '<|start|>assistant<|channel|>analysis<|message|>', close: '<|end|>' },
  { open: '<|start|>assistant<|channel|>final<|message|>', close: '' },
  { open: '<|channel|>final<|message|>', close: '' },
]
const CODE_FENCE = '```'
/** More of a line than this says nothing about its mark. */
const MARK_CHARS = Math.max(...MARKS.map(({ open }) => open.length))
/** Of those whose first mark a server may keep to itself. */
const SHORT_MARKS = MARKS.filter(({ open }) =>
  ['<think>', '<thinking>', '<seed:think>', '[think]', '◁think▷'].includes(open),
)
/** Found in the text as it is: in lower case a text may be longer (`İ`), and places in it others. */
const CLOSINGS = new Map(MARKS.map(({ close }) => [close, new RegExp(escapeAll([close]), 'i')]))
/** In order: fences of code blocks, and the first and last marks of reasoning. */
const SIGNS = new RegExp(
  `^[ \\t]*(\`{3,}|~{3,})|${escapeAll(SHORT_MARKS.flatMap(({ open, close }) => [open, close]))}`,
  'gim',
)
/** Around a mark: enough to see that it stands alone. */
const NEARBY_CHARS = 80

/** What came of a piece. */
export interface Sifted {
  readonly text: string
  readonly thought: string
}

/** For one answer: `add` gets its text in order, `end` gives what was held back. */
export class ThoughtFilter {
  /** Not decided yet: the beginning of a line that may become a mark, or the end of reasoning that may be its mark. */
  #held = ''
  #close: string | null = null
  #atLineStart = true
  #inCode = false
  /** Nothing was said since the beginning, or since reasoning ended: space before the answer is no part of it. */
  #skipsSpace = true
  #removed = false

  /** What is decided by now; the rest comes with a later call. */
  add(piece: string): Sifted {
    this.#held += piece
    const text: string[] = []
    const thought: string[] = []
    while (this.#held !== '') {
      const isDecided = this.#close === null ? this.#readText(text) : this.#readThought(thought, this.#close)
      if (!isDecided) break
    }
    return { text: text.join(''), thought: thought.join('') }
  }

  /** Called once, after the last piece. */
  end(): Sifted {
    const rest = this.#held
    this.#held = ''
    if (this.#close !== null) return { text: '', thought: rest }
    return { text: this.#removed && rest.trim() === '' ? '' : rest, thought: '' }
  }

  /** False: what follows must be known first. */
  #readText(text: string[]): boolean {
    if (this.#atLineStart) {
      const space = /^\s*/.exec(this.#held)?.[0] ?? ''
      const line = this.#held.slice(space.length)
      const lower = lowerAscii(line.slice(0, MARK_CHARS))
      const mark = this.#inCode ? undefined : MARKS.find(({ open }) => lower.startsWith(open))
      if (mark !== undefined) {
        if (!this.#skipsSpace) text.push(space)
        this.#held = line
        this.#begin(mark)
        return true
      }
      const mayBecome = [CODE_FENCE, ...(this.#inCode ? [] : MARKS.map(({ open }) => open))]
      if (mayBecome.some((open) => open.length > lower.length && open.startsWith(lower))) return false
      if (lower.startsWith(CODE_FENCE)) this.#inCode = !this.#inCode
      if (!this.#skipsSpace || !this.#removed) text.push(space)
      this.#held = line
      this.#skipsSpace = false
      this.#atLineStart = false
    }
    const end = this.#held.indexOf('\n') + 1
    const said = end === 0 ? this.#held : this.#held.slice(0, end)
    text.push(said)
    this.#held = this.#held.slice(said.length)
    this.#atLineStart = end !== 0
    return true
  }

  #begin({ open, close }: Mark): void {
    this.#held = this.#held.slice(open.length)
    this.#close = close === '' ? null : close
    this.#skipsSpace = true
    this.#removed = true
  }

  #readThought(thought: string[], close: string): boolean {
    const at = CLOSINGS.get(close)?.exec(this.#held)?.index
    if (at === undefined) {
      const known = Math.max(0, this.#held.length - close.length + 1)
      thought.push(this.#held.slice(0, known))
      this.#held = this.#held.slice(known)
      return false
    }
    thought.push(this.#held.slice(0, at))
    this.#held = this.#held.slice(at + close.length)
    this.#close = null
    this.#atLineStart = true
    return true
  }
}

/**
 * Where reasoning ends whose first mark is missing: some servers write that mark into the prompt, and the answer begins
 * in the middle. Null: there is none. A mark in a code block, or behind its first mark, is spoken of. `text` is a whole
 * answer.
 */
export function splitAtLoneClosing(text: string): Sifted | null {
  if (/^\s*[{[]/.test(text)) return null
  const spokenOf = new Set<string>()
  let fence: string | null = null
  for (const { 0: sign, 1: ticks, index } of text.matchAll(SIGNS)) {
    if (ticks !== undefined) fence = fenceAfter(fence, ticks)
    if (ticks !== undefined || fence !== null) continue
    const mark = lowerAscii(sign)
    const opened = SHORT_MARKS.find(({ open }) => open === mark)
    if (opened !== undefined) spokenOf.add(opened.close)
    else if (!spokenOf.has(mark) && standsAlone(text, index, sign))
      return { text: text.slice(index + sign.length).trimStart(), thought: text.slice(0, index) }
  }
  return null
}

/** A code block ends at a fence of its kind that is no shorter. Null: outside of one. */
function fenceAfter(fence: string | null, ticks: string): string | null {
  if (fence === null) return ticks
  return ticks.startsWith(fence) ? null : fence
}

function standsAlone(text: string, at: number, sign: string): boolean {
  const end = at + sign.length
  return (
    /\n\s*$/.test(text.slice(Math.max(0, at - NEARBY_CHARS), at)) ||
    /^\s*(\n|$|\{)/.test(text.slice(end, end + NEARBY_CHARS))
  )
}

/** No other letters: what they become may have another length. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** A pattern for any of the words. */
function escapeAll(words: readonly string[]): string {
  return words.map((word) => word.replace(/[[\]|/\\^$.*+?(){}]/g, String.raw`\$&`)).join('|')
}
