/** A part of a text as it reads when it is decoded. */
import type { Span } from './span.ts'

export interface DecodedView {
  /** Bytes are characters U+0000 to U+00FF. */
  readonly text: string
  /** What of the original says what stands in this part of `text`. */
  readonly spanOf: (part: Span) => Span
}
