/**
 * Where in a TOML text a key stands, so that an error can name the line. Best effort: the parser keeps no positions, so
 * this reads section headers and the beginnings of lines; a key inside an inline table is found at the table's line.
 */
const KEY = String.raw`(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')`
const DOTTED = String.raw`${KEY}(?:\s*\.\s*${KEY})*`
const HEADER = new RegExp(String.raw`^\s*\[\[?\s*(${DOTTED})\s*\]`)
const PAIR = new RegExp(String.raw`^\s*(${DOTTED})\s*=`)

/** Returns a lookup: the line (from 1) of a key path or of its nearest section, or null. */
export function findKeyLines(toml: string): (path: readonly string[]) => number | null {
  const lines = new Map<string, number>()
  let section: string[] = []
  /** How often `[[section]]` came so far. */
  const counts = new Map<string, number>()
  for (const [index, line] of toml.split('\n').entries()) {
    const header = HEADER.exec(line)
    if (header !== null) section = keysOf(header[1] ?? '')
    if (header !== null && /^\s*\[\[/.test(line)) {
      const count = counts.get(section.join('.')) ?? 0
      counts.set(section.join('.'), count + 1)
      section = [...section, String(count)]
    }
    const path = header === null ? [...section, ...keysOf(PAIR.exec(line)?.[1] ?? '')] : section
    if (header === null && path.length === section.length) continue
    for (let length = path.length; length > 0; length--) {
      const key = JSON.stringify(path.slice(0, length))
      if (!lines.has(key)) lines.set(key, index + 1)
    }
  }
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const line = lines.get(JSON.stringify(path.slice(0, length)))
      if (line !== undefined) return line
    }
    return null
  }
}

/** What line `line` (from 1) says again, and the line that said it first; null: nothing that this can tell. */
export function findRepeated(toml: string, line: number): { readonly what: string; readonly line: number } | null {
  const lines = toml.split('\n').slice(0, line)
  const last = lines.pop() ?? ''
  const isHeader = HEADER.test(last)
  const keyIn = (text: string): string | null => (isHeader ? HEADER : PAIR).exec(text)?.[1] ?? null
  const key = keyIn(last)
  if (key === null) return null
  const from = isHeader ? 0 : lines.findLastIndex((text) => HEADER.test(text)) + 1
  const found = lines.findIndex((text, index) => index >= from && isSame(keyIn(text), key))
  return found === -1 ? null : { what: isHeader ? `[${key}]` : key, line: found + 1 }
}

function isSame(one: string | null, other: string): boolean {
  return one !== null && JSON.stringify(keysOf(one)) === JSON.stringify(keysOf(other))
}

function keysOf(dotted: string): string[] {
  return [...dotted.matchAll(new RegExp(KEY, 'g'))].map(([key]) => unquote(key))
}

function unquote(key: string): string {
  return key.startsWith('"') || key.startsWith("'") ? key.slice(1, -1) : key
}
