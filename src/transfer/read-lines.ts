/**
 * The lines of a stream, read no faster than the caller takes them (the readline of Node reads on meanwhile, and keeps
 * all of it in memory).
 */
import { AppError } from '../core/errors.ts'

/** No row is longer: a task's two outputs have a mebibyte each, and what JSON escapes takes six characters at most. */
const MAX_LINE_CHARS = 32 * 1024 * 1024

/**
 * Without their ends, "\n" or "\r\n". Rejects with TRANSFER_REFUSED when the bytes are not UTF-8, or a line has no end.
 */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  /** Of the line that has not ended. */
  let pieces: string[] = []
  let chars = 0
  for await (const chunk of bytes) {
    const [first = '', ...others] = decode(decoder, chunk).split('\n')
    const rest = others.pop()
    pieces.push(first)
    chars += first.length
    if (rest !== undefined) {
      yield withoutReturn(pieces.join(''))
      for (const line of others) yield withoutReturn(line)
      pieces = [rest]
      chars = rest.length
    }
    if (chars > MAX_LINE_CHARS)
      throw new AppError(
        'TRANSFER_REFUSED',
        `A line is longer than ${MAX_LINE_CHARS} characters: this is no exported session.`,
      )
  }
  pieces.push(decode(decoder))
  const last = pieces.join('')
  if (last !== '') yield withoutReturn(last)
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch (error) {
    throw new AppError('TRANSFER_REFUSED', 'It is no text in UTF-8: this is no exported session.', { cause: error })
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
