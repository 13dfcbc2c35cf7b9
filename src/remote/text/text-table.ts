/** Rows of texts in columns, for a terminal of this width. */
import { harmless } from './harmless.ts'
import { textWidth } from './text-width.ts'

/** The last column takes what is left, and is cut there; in a pipe (`width` null) nothing is cut. */
export function textTable(rows: readonly (readonly string[])[], width: number | null): string {
  const clean = rows.map((row) => row.map((cell) => harmless(cell).replaceAll(/\s+/g, ' ')))
  const columns = Math.max(...clean.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...clean.map((row) => textWidth(row[column] ?? ''))),
  )
  return clean.map((row) => cut(row.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  '), width)).join('\n')
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - textWidth(cell))
}

function cut(line: string, width: number | null): string {
  const trimmed = line.trimEnd()
  if (width === null || textWidth(trimmed) <= width) return trimmed
  let kept = ''
  for (const character of trimmed) {
    if (textWidth(kept + character) >= width) break
    kept += character
  }
  return `${kept}…`
}
