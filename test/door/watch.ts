/** Subscribes like a client and collects what comes, over WebSocket (graphql-ws) or server-sent events. */
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'

export interface Result {
  readonly data?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null
  readonly errors?: readonly { readonly message: string; readonly extensions?: Readonly<Record<string, unknown>> }[]
}

export interface Watch {
  readonly results: Result[]
  /** Of every result's first field. */
  readonly seqs: number[]
  /** Resolves when so many results are there. Rejects when it ends before. */
  count(count: number): Promise<void>
  /**
   * How it ended: "complete", "cut" (the stream ended without a word), "closed" (by us), "<code> <reason>", or errors
   * as JSON.
   */
  readonly ended: Promise<string>
  close(): void
}

export interface WatchRequest {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly token: string
}

export const FOLLOW = `subscription Follow($id: ID!, $after: Int) {
  sessionEvents(sessionId: $id, after: $after) { __typename seq ... on TaskOutputEvent { text } ... on PipelineStepEvent { detail } }
}`

export function watchWebSocket(url: string, { query, variables, token }: WatchRequest): Watch {
  const client = createClient({
    url,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  })
  const inbox = new Inbox(() => void client.dispose())
  client.subscribe<NonNullable<Result['data']>>(
    { query, ...(variables !== undefined && { variables: { ...variables } }) },
    {
      next: (result) => inbox.add(result as Result),
      error: (error) => inbox.end(describe(error)),
      complete: () => inbox.end('complete'),
    },
  )
  return inbox
}

export function watchEvents(url: string, { query, variables, token }: WatchRequest): Watch {
  const abort = new AbortController()
  const inbox = new Inbox(() => abort.abort())
  const read = async (): Promise<string> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
      signal: abort.signal,
    })
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || response.body === null) {
      return `${response.status} ${await response.text()}`
    }
    let text = ''
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        if (block.startsWith('event: complete')) return 'complete'
        const data = /^event: next\n(?:id: \d+\n)?data: (.*)$/s.exec(block)?.[1]
        if (data !== undefined) inbox.add(JSON.parse(data) as Result)
      }
    }
    return 'cut'
  }
  read().then(
    (reason) => inbox.end(reason),
    (error: unknown) => inbox.end(String(error)),
  )
  return inbox
}

class Inbox implements Watch {
  readonly results: Result[] = []
  readonly ended: Promise<string>
  readonly #close: () => void
  #resolveEnded: (reason: string) => void = () => undefined
  #reason: string | null = null
  #waiting: { count: number; resolve: () => void; reject: (error: Error) => void }[] = []

  constructor(close: () => void) {
    this.#close = close
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve))
  }

  get seqs(): number[] {
    return this.results.map((result) => Number(Object.values(result.data ?? {})[0]?.['seq']))
  }

  count(count: number): Promise<void> {
    if (this.results.length >= count) return Promise.resolve()
    if (this.#reason !== null) return Promise.reject(new Error(`ended with ${this.results.length}: ${this.#reason}`))
    return new Promise((resolve, reject) => this.#waiting.push({ count, resolve, reject }))
  }

  add(result: Result): void {
    this.results.push(result)
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (this.results.length < count) return true
      resolve()
      return false
    })
  }

  end(reason: string): void {
    if (this.#reason !== null) return
    this.#reason = reason
    this.#resolveEnded(reason)
    for (const { reject } of this.#waiting) reject(new Error(`ended with ${this.results.length}: ${reason}`))
    this.#waiting = []
  }

  close(): void {
    this.#close()
    this.end('closed')
  }
}

function describe(error: unknown): string {
  if (Array.isArray(error)) return JSON.stringify(error)
  const { code, reason } = error as { code?: number; reason?: string }
  return code === undefined ? String(error) : `${code} ${reason ?? ''}`
}
