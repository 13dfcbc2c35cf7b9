/** One range of bytes, as `Range: bytes=…` asks for it (RFC 9110, 14.1). */

/** Both ends are part of it. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * WHOLE: the header is absent, asks for several ranges or is not understood: the whole file answers it. UNSATISFIABLE:
 * none of what it asks for is there.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'WHOLE' | 'UNSATISFIABLE' {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? []
  if (first === '' && last === '') return 'WHOLE'
  if (first === '') return lastBytes(Number(last), size)
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)]
  if (last !== '' && Number(last) < start) return 'WHOLE' // is not valid
  return start < size ? { start, end } : 'UNSATISFIABLE'
}

function lastBytes(count: number, size: number): ByteRange | 'UNSATISFIABLE' {
  return count === 0 || size === 0 ? 'UNSATISFIABLE' : { start: Math.max(0, size - count), end: size - 1 }
}
