/**
 * "@factotum/client/resuming", for libraries that subscribe through graphql-ws or graphql-sse: Apollo, urql, Relay,
 * TanStack Query. When the connection is lost, these clients subscribe again with the variables of the first time,
 * which would bring everything since the page was read once more. Through `resuming`, `after` is the seq of the last
 * event.
 *
 * What must hold: documents name the variable `after` and select `seq`; one that does not select it is ended with an
 * error at its first event. Subscriptions without a seq (lists) pass as they are: they begin with `readList` each time.
 */
import { Inbox } from './inbox.ts'

interface Request {
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

interface Result {
  readonly data?: unknown
}

interface Sink {
  next(result: Result): void
  error(error: unknown): void
  complete(): void
}

/** What graphql-ws and graphql-sse have in common. */
interface SubscribingClient {
  // Their own types of requests and sinks are narrower.
  subscribe(request: never, sink: never): () => void
  iterate(request: never): AsyncIterableIterator<unknown>
}

type Subscribe = (request: Request, sink: Sink) => () => void

/** The same client, to hand to a link, an exchange or a network layer in its place. */
export function resuming<Client extends SubscribingClient>(client: Client): Client {
  const subscribe: Subscribe = (request, sink) => {
    const from = new Cursor(request)
    const leave = (client.subscribe as Subscribe)(from.request, {
      next: (result) => {
        if (from.moveTo(result)) return sink.next(result)
        leave()
        sink.error(new Error('Select "seq" of the events: without it every reconnection brings them again.'))
      },
      error: (error) => sink.error(error),
      complete: () => sink.complete(),
    })
    return leave
  }
  return { ...client, subscribe, iterate: (request: Request) => iterate(subscribe, request) }
}

/** Where a subscription stands. */
class Cursor {
  readonly #isAsked: boolean
  #seq: unknown
  /** Its variables are those of the moment in which it is sent. */
  readonly request: Request

  constructor(request: Request) {
    this.#seq = request.variables?.['after']
    this.#isAsked = this.#seq != null
    const read = (): unknown => this.#seq
    this.request = {
      ...request,
      variables: {
        ...request.variables,
        get after() {
          return read()
        },
      },
    }
  }

  /** False: an event does not say where it stands. */
  moveTo({ data }: Result): boolean {
    if (data == null) return true
    const [event] = Object.values(data) as ({ readonly seq?: unknown } | null)[]
    const seq = event?.seq
    if (typeof seq === 'number') this.#seq = seq
    return typeof seq === 'number' || !this.#isAsked
  }
}

/** What waits for the loop counts as seen: it is not asked for again. */
function iterate(subscribe: Subscribe, request: Request): AsyncIterableIterator<Result> {
  const inbox = new Inbox<Result>(() => leave())
  const leave = subscribe(request, {
    next: (result) => inbox.next(result),
    error: (error) => inbox.error(error),
    complete: () => inbox.complete(),
  })
  const end = async (): Promise<IteratorReturnResult<void>> => {
    leave()
    inbox.complete()
    return { done: true, value: undefined }
  }
  return Object.assign(inbox.items(), { return: end })
}
