/**
 * How the load talks to the servers: to any of them, for as long as one may wait; failures while servers die are
 * expected.
 */
import { ApiClient, type Reply } from '../harness/api-client.ts'
import type { SeededRandom } from '../harness/seeded-random.ts'

export interface StormClientOptions {
  /** For complaints. */
  readonly name: string
  readonly token: string
  readonly anyUrl: (random: SeededRandom) => Promise<string>
  readonly random: SeededRandom
}

const REQUEST_TIMEOUT_MS = 6000
/** What an answer may be while servers die and the database goes away; anything else is a bug. */
const EXPECTED_CODES = new Set(['DATABASE_UNAVAILABLE', 'STORAGE_FULL', 'SHUTTING_DOWN'])

export class StormClient {
  readonly complaints: string[] = []
  readonly #options: StormClientOptions

  constructor(options: StormClientOptions) {
    this.#options = options
  }

  /** The answer of some server; null: there was none in time. */
  async request<Data>(send: (client: ApiClient) => Promise<Reply<Data>>): Promise<Reply<Data> | null> {
    const { anyUrl, random, token } = this.#options
    const client = new ApiClient(await anyUrl(random), token)
    const timeout = sleep(REQUEST_TIMEOUT_MS).then(() => null)
    return Promise.race([send(client).catch(() => null), timeout])
  }

  /** Whether it is what a server may say while others die and the database goes away; a complaint if not. */
  isExpected(operation: string, reply: Reply<unknown>): boolean {
    const codes = reply.errors.map(({ extensions }) => String(extensions?.['code']))
    const isExpected = codes.length > 0 && codes.every((code) => EXPECTED_CODES.has(code))
    if (!isExpected) this.complaints.push(`${this.#options.name}: ${operation} answered ${JSON.stringify(reply)}`)
    return isExpected
  }
}

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref())
}
