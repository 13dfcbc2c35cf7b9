/**
 * The openai client of each provider, kept from call to call: making one takes 0.2 ms, half of what a call costs here.
 * Used by `openai-model.ts`. What must hold: an address, a key or a limit that has changed makes a new one, so it holds
 * from the next call on. Connections are not the client's: they live in the transport.
 */
import OpenAI from 'openai'
import type { RequestSettings } from '../config/config.ts'
import type { Fetch, FetchWithin } from './wire/http-transport.ts'
import { toOpenAiErrorBody } from './wire/error-body.ts'

/** What a client is made of; a change of any of it makes another one. */
export interface ClientSettings {
  readonly baseUrl: string
  readonly apiKey: string | null
  readonly fetchWithin: FetchWithin
  /** No byte for this long ends an answer. */
  readonly idleMs: number
  /** What `[providers.x]` adds to each request. */
  readonly extras: Pick<RequestSettings, 'headers' | 'query' | 'apiKeyHeader'>
}

/** A whole answer may take this many times `idleMs`; without it a server that sends a byte a minute would never end. */
const TOTAL_TIMEOUT_FACTOR = 10

/** Keeps at most one client for each provider that was ever called. */
export class OpenAiClients {
  /** By the provider's name. */
  readonly #kept = new Map<string, { readonly settings: ClientSettings; readonly client: OpenAI }>()

  /**
   * The kept client when it has the same settings, else a new one in its place. Calls under way keep the one that they
   * have.
   */
  clientFor(provider: string, settings: ClientSettings): OpenAI {
    const kept = this.#kept.get(provider)
    if (kept !== undefined && areEqual(kept.settings, settings)) return kept.client
    const client = createClient(settings)
    this.#kept.set(provider, { settings, client })
    return client
  }
}

function areEqual(one: ClientSettings, other: ClientSettings): boolean {
  return (
    one.baseUrl === other.baseUrl &&
    one.apiKey === other.apiKey &&
    one.fetchWithin === other.fetchWithin &&
    one.idleMs === other.idleMs &&
    JSON.stringify(one.extras) === JSON.stringify(other.extras)
  )
}

function createClient({ baseUrl, apiKey, fetchWithin, idleMs, extras }: ClientSettings): OpenAI {
  const totalMs = idleMs * TOTAL_TIMEOUT_FACTOR
  const defaultHeaders = {
    ...extras.headers,
    ...(extras.apiKeyHeader === null ? {} : { authorization: null, [extras.apiKeyHeader]: apiKey }),
  }
  const client = new OpenAI({
    baseURL: baseUrl,
    // Endpoints without keys ignore it; the client insists on one.
    apiKey: apiKey ?? 'none',
    // Named, because the client would take them from the environment and send them to whatever provider this is.
    organization: null,
    project: null,
    fetch: readingErrors(fetchWithin({ idleMs, totalMs })),
    defaultHeaders,
    defaultQuery: { ...extras.query },
    timeout: Math.ceil(totalMs),
    maxRetries: 0,
    logLevel: 'off',
  })
  // The client has added those of OPENAI_CUSTOM_HEADERS, which may be the key of another provider.
  client['_options'].defaultHeaders = defaultHeaders
  return client
}

/** The openai package reads errors of one shape; the others are put into it. */
function readingErrors(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.status < 400) return response
    const { status, headers } = response
    return new Response(toOpenAiErrorBody(await response.text()), { status, headers })
  }
}
