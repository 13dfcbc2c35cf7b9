/** A sentence of a model as it may be stored and listed: one line, without control characters. */
import { toStorable } from '../../platform/well-formed.ts'

export function oneLine(text: string): string {
  return toStorable(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim())
}
