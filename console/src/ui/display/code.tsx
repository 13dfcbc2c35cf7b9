/**
 * What runs, for who decides about it: nothing hides in it, and it stands in the order in which it runs. Letters that
 * are written from the right would else turn what is between two of them around.
 */
import { harmlessCode } from '../../../../src/core/text/harmless.ts'

const FROM_THE_RIGHT = /([\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1f000}]+)/u

export function Code({ text }: { readonly text: string }) {
  return harmlessCode(text)
    .split(FROM_THE_RIGHT)
    .map((part, index) =>
      // oxlint-disable-next-line react/no-array-index-key -- parts have nothing but their place
      index % 2 === 1 ? <bdi key={index}>{part}</bdi> : part,
    )
}
