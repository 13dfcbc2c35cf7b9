/** How moments and durations are written. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Made when the first one is needed: each takes milliseconds. */
let formats: { readonly short: Intl.DateTimeFormat; readonly long: Intl.DateTimeFormat } | undefined

function dayText(at: Date, isThisYear: boolean): string {
  const day = { day: 'numeric', month: 'short' } as const
  formats ??= {
    short: new Intl.DateTimeFormat(undefined, day),
    long: new Intl.DateTimeFormat(undefined, { ...day, year: 'numeric' }),
  }
  return formats[isThisYear ? 'short' : 'long'].format(at)
}

/** "now", "5 min ago", "in 2 h", "yesterday", "3 Mar", "3 Mar 2025". */
export function relativeText(atMs: number, nowMs: number): string {
  const ago = nowMs - atMs
  const size = Math.abs(ago)
  if (size < 45_000) return 'now'
  if (size < HOUR_MS) return inWords(ago, `${Math.max(1, Math.round(size / MINUTE_MS))} min`)
  if (size < DAY_MS) return inWords(ago, `${Math.round(size / HOUR_MS)} h`)
  if (size < 7 * DAY_MS) return inWords(ago, `${Math.round(size / DAY_MS)} d`)
  const at = new Date(atMs)
  return dayText(at, at.getFullYear() === new Date(nowMs).getFullYear())
}

function inWords(ago: number, amount: string): string {
  return ago > 0 ? `${amount} ago` : `in ${amount}`
}

/** "320 ms", "4.2 s", "3 min 5 s", "2 h 10 min". */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** "512 B", "4.0 kB", "1.2 MB". */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** "1 call", "3 calls": of things whose plural ends with an "s". */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** "12", "4.2k", "1.3M". */
export function countText(count: number): string {
  if (count < 1000) return String(count)
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}
