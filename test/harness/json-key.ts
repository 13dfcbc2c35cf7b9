import type { Arbitrary } from 'fast-check'

/**
 * Keys without a backslash: once V8 (13.6 to 14.6) has parsed one that has it, it takes keys with an escape at its
 * place for it, in the whole process (nodejs/node#63785).
 */
export function jsonKey(text: Arbitrary<string>): Arbitrary<string> {
  return text.map((key) => key.replaceAll('\\', '/'))
}
