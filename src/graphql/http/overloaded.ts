/** The answer to an operation that is refused because the server is overloaded. */
import { GraphQLError } from 'graphql'
import { randomFraction } from '../../platform/random.ts'

const MESSAGE =
  'The server has more to do than it can at the moment; nothing of this has happened. Send it again shortly.'

/** As it stands in an answer: made thousands of times when there is least time for it, so without an Error's stack. */
export function overloadedAnswer(): {
  readonly message: string
  readonly extensions: { readonly code: 'OVERLOADED'; readonly retryAfterMs: number }
} {
  // Spread, so that those who were refused together do not come back together.
  return {
    message: MESSAGE,
    extensions: { code: 'OVERLOADED', retryAfterMs: Math.round(1000 + 2000 * randomFraction()) },
  }
}

export function overloaded(): GraphQLError {
  const { message, extensions } = overloadedAnswer()
  return new GraphQLError(message, { extensions })
}
