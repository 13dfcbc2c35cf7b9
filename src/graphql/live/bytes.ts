/**
 * UTF-8 as a string with one character for each byte, which is what node:net takes as 'latin1'. Thousands of short
 * texts a second cost less so than as buffers, each of which is an object outside of the heap.
 */
export type Bytes = string

export function toBytes(text: string): Bytes {
  const isAscii = Buffer.byteLength(text) === text.length
  return isAscii ? text : Buffer.from(text).toString('latin1')
}

export function textOf(bytes: Bytes): string {
  return Buffer.from(bytes, 'latin1').toString()
}
