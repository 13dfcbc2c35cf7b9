/** A line as rows of at most `width` columns, broken between words where that is possible. */
import { textWidth } from '../text/text-width.ts'

/** A line without words is one empty row. Colours stay with their words. */
export function wrapLine(line: string, width: number): string[] {
  const rows = ['']
  for (const word of line.split(/(?<= )/)) {
    const row = rows.at(-1) ?? ''
    if (textWidth(row + word.trimEnd()) <= width) rows[rows.length - 1] = row + word
    else if (textWidth(word) <= width) rows.push(word)
    else for (const part of partsOf(word, width)) rows.push(part)
  }
  return rows[0] === '' && rows.length > 1 ? rows.slice(1) : rows
}

function partsOf(word: string, width: number): string[] {
  const parts = ['']
  for (const character of word) {
    const part = parts.at(-1) ?? ''
    if (textWidth(part + character) <= width) parts[parts.length - 1] = part + character
    else parts.push(character)
  }
  return parts
}
