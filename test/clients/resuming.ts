/** For clients that subscribe again by themselves: they go on behind the last event that they have seen. */
interface Request {
  readonly variables?: Record<string, unknown> | null | undefined
}

interface Sink<Result> {
  next(result: Result): void
  error(error: unknown): void
  complete(): void
}

/** The same request and sink: with each attempt the variables are sent as they are then. */
export function resuming<Asked extends Request, Result extends { readonly data?: unknown }>(
  request: Asked,
  sink: Sink<Result>,
): [Asked, Sink<Result>] {
  let seen = request.variables?.['after']
  const variables = {
    ...request.variables,
    get after() {
      return seen
    },
  }
  const next = (result: Result): void => {
    const events = Object.values(result.data ?? {}) as ({ readonly seq?: number } | null)[]
    seen = events[0]?.seq ?? seen
    sink.next(result)
  }
  return [
    { ...request, variables },
    { ...sink, next },
  ]
}
