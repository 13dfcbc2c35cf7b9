/** The table that the bench prints: what was measured, beside the least that does the same. */

export interface Row {
  readonly what: string
  readonly value: string
  /** The barest script, or the raw broadcast; empty where there is nothing to compare with. */
  readonly floor: string
  readonly ratio: string
  readonly note: string
}

export function printTable(rows: readonly Row[]): void {
  const heads = { what: '', value: 'ours', floor: 'floor', ratio: 'ratio', note: '' }
  const width = (key: 'what' | 'value' | 'floor' | 'ratio'): number =>
    Math.max(...[heads, ...rows].map((row) => row[key].length))
  const widths = { what: width('what'), value: width('value'), floor: width('floor'), ratio: width('ratio') }
  for (const { what, value, floor, ratio, note } of [heads, ...rows]) {
    const figures = [value.padStart(widths.value), floor.padStart(widths.floor), ratio.padStart(widths.ratio)]
    console.log(`${what.padEnd(widths.what)}  ${figures.join('  ')}  ${note}`.trimEnd())
  }
}
