/**
 * What a terminal would show of a program's output, as pieces with a style: colours and weights are kept, a carriage
 * return writes over its line, and everything else that a terminal can be made to do (move, clear, name its window,
 * ring) is left out.
 */

export interface AnsiPiece {
  readonly text: string
  /** "red", "bright-blue", or a number of the 256: null is as the page has it. */
  readonly color: string | null
  readonly background: string | null
  readonly isBold: boolean
  readonly isDim: boolean
  readonly isItalic: boolean
  readonly isUnderlined: boolean
}

type Style = Omit<AnsiPiece, 'text'>

const PLAIN: Style = {
  color: null,
  background: null,
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
}
const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']
/** More than a page can draw quickly: the beginning is left out. */
const MOST_PIECES = 3000

// oxlint-disable-next-line no-control-regex -- these are what is searched for
const CONTROL_SEQUENCE = /\u001B\[([0-9;:?<=>!]*)[ -/]*([@-~])|\u009B[0-9;:?]*[ -/]*[@-~]/
// oxlint-disable-next-line no-control-regex -- as above
const OTHER_ESCAPE = /\u001B(?:[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~]|$)/
const ESCAPE = new RegExp(`${CONTROL_SEQUENCE.source}|${OTHER_ESCAPE.source}`, 'gu')
// oxlint-disable-next-line no-control-regex -- these are what is left out
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/gu

/**
 * Never throws, whatever the text holds; the texts of the pieces joined hold no control character but tab and
 * newline.
 */
export function parseAnsi(text: string): readonly AnsiPiece[] {
  const pieces: AnsiPiece[] = []
  let style = PLAIN
  let from = 0
  for (const match of text.matchAll(ESCAPE)) {
    push(pieces, text.slice(from, match.index), style)
    from = match.index + match[0].length
    if (match[2] === 'm') style = styled(style, match[1] ?? '')
  }
  push(pieces, text.slice(from), style)
  return pieces.slice(-MOST_PIECES)
}

function push(pieces: AnsiPiece[], raw: string, style: Style): void {
  const lines = raw.replaceAll('\r\n', '\n').split('\n')
  const text = lines
    .map((line, index) => overwritten(line, index === lines.length - 1))
    .join('\n')
    .replaceAll(CONTROLS, '')
  if (text === '') return
  const last = pieces.at(-1)
  if (last !== undefined && isSame(last, style)) pieces[pieces.length - 1] = { ...last, text: last.text + text }
  else pieces.push({ ...style, text })
}

/** What stands last on a line that was written several times, as progress bars do. */
function overwritten(line: string, isLast: boolean): string {
  const parts = line.split('\r')
  const last = parts.at(-1) ?? ''
  return last === '' && isLast ? (parts.at(-2) ?? '') : last
}

function isSame(piece: AnsiPiece, style: Style): boolean {
  return (Object.keys(PLAIN) as (keyof Style)[]).every((name) => piece[name] === style[name])
}

function styled(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number)
  let style = before
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0
    if (code === 38 || code === 48) {
      const isIndexed = codes[index + 1] === 5
      const color = isIndexed ? indexedColor(codes[index + 2] ?? 0) : null
      style = code === 38 ? { ...style, color } : { ...style, background: color }
      index += isIndexed ? 2 : 4
    } else style = { ...style, ...changeOf(code) }
  }
  return style
}

const CHANGES: Readonly<Record<number, Partial<Style>>> = {
  0: PLAIN,
  1: { isBold: true },
  2: { isDim: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  22: { isBold: false, isDim: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  39: { color: null },
  49: { background: null },
}

function changeOf(code: number): Partial<Style> {
  const name = NAMES[code % 10] ?? null
  if (name !== null && code >= 30 && code < 38) return { color: name }
  if (name !== null && code >= 40 && code < 48) return { background: name }
  if (name !== null && code >= 90 && code < 98) return { color: `bright-${name}` }
  if (name !== null && code >= 100 && code < 108) return { background: `bright-${name}` }
  return CHANGES[code] ?? {}
}

/**
 * Of the 256 only the sixteen that have names, so that both themes can be read; the others are the nearest of them.
 */
function indexedColor(index: number): string | null {
  if (index < 8) return NAMES[index] ?? null
  if (index < 16) return `bright-${NAMES[index - 8] ?? 'white'}`
  if (index >= 232) return index < 244 ? 'bright-black' : 'white'
  const [red, green, blue] = [Math.floor((index - 16) / 36), Math.floor((index - 16) / 6) % 6, (index - 16) % 6]
  return NAMES[(red > 2 ? 1 : 0) + (green > 2 ? 2 : 0) + (blue > 2 ? 4 : 0)] ?? null
}

/** A text in which what is meant for a terminal says nothing. */
export function withoutAnsi(text: string): string {
  return text.replaceAll(ESCAPE, '')
}
