/** Medians, percentiles and how figures are written. */

/** The value below which `share` of the values lie; `share` 0.5 is the median. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] ?? Number.NaN
  const above = sorted[Math.ceil(at)] ?? Number.NaN
  return below + (above - below) * (at - Math.floor(at))
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** Three figures that mean something, no more: 0.123, 1.23, 12.3, 1 230. */
export function show(value: number): string {
  if (!Number.isFinite(value)) return '-'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 1e-9))))
  const [whole = '', fraction] = value.toFixed(Math.min(digits, 3)).split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ' ')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}
