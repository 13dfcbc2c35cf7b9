/**
 * A connection to a server that takes writes. Every connection that a server process keeps is one: the pools, LISTEN,
 * the node's beat, jobs.
 *
 * PostgreSQL says by itself, at login and whenever it changes, whether it is a standby or takes only reads; such a
 * connection ends at once, so that pools try another server. Of several hosts (src/config/database-address.ts) the
 * first that takes writes is connected to; all are asked at the same time, so that one that is silent costs a moment.
 */
import pg from 'pg'
import { hostAddresses } from '../../config/database-address.ts'
import { hasCode } from '../../platform/error-code.ts'
import { messageOf } from '../../core/errors.ts'
import { SESSION_OPTIONS } from './session-options.ts'

/** A host that has not let us in by then is passed over; less than any timeout of a connection. */
const ASK_MS = 1500
/** What PostgreSQL reports of itself (since version 14), which no query has to ask for. */
const SAYS_READ_ONLY: ReadonlySet<string> = new Set(['in_hot_standby', 'default_transaction_read_only'])
/** SQLSTATE read_only_sql_transaction, as a write would be answered. */
const READ_ONLY = '25006'

type Connected = (error: Error | null, client?: pg.Client) => void

/** As any client of pg: connected once, and of no more use when its connection has ended. */
export class WritableClient extends pg.Client {
  readonly #addresses: readonly [string, ...string[]]
  #isOpen = false
  #refusal: Error | null = null

  /** `connectionString` may name several hosts. */
  constructor(config: pg.ClientConfig = {}) {
    const addresses = hostAddresses(config.connectionString ?? '')
    super({ ...config, connectionString: addresses[0], options: SESSION_OPTIONS })
    this.#addresses = addresses
    // It can end in the moment of its login, before anything listens, and an error without a listener ends the process.
    // The next statement fails, which tells.
    this.on('error', () => {})
    this.connection.on('parameterStatus', (status: ParameterStatus) => this.#hear(status))
  }

  /** Rejects when no host takes writes now; the error's code tells why, as PostgreSQL's or the system's. */
  override connect(): Promise<pg.Client>
  /** The same, told by a call, as pools want it. */
  override connect(connected: Connected): void
  /** What both are made of. */
  override connect(connected?: Connected): Promise<pg.Client> | void {
    const client = this.#connect()
    if (connected === undefined) return client
    client.then(
      () => connected(null, this),
      (error: unknown) => connected(error as Error),
    )
  }

  async #connect(): Promise<pg.Client> {
    if (this.#addresses.length > 1) {
      const { host, port } = new pg.Client({ connectionString: await writableAddress(this.#addresses) })
      Object.assign(this, { host, port })
    }
    await super.connect()
    if (this.#refusal !== null) {
      void this.end().catch(() => {})
      throw this.#refusal
    }
    this.#isOpen = true
    return this
  }

  /** At login it is let through to its end, so that the connection can be closed in order. */
  #hear({ parameterName, parameterValue }: ParameterStatus): void {
    if (!SAYS_READ_ONLY.has(parameterName) || parameterValue !== 'on') return
    const says = `${this.host}:${this.port} takes no writes (${parameterName} is on)`
    this.#refusal = Object.assign(new Error(says), { code: READ_ONLY })
    if (this.#isOpen) this.connection.stream.destroy(this.#refusal)
  }
}

interface ParameterStatus {
  readonly parameterName: string
  readonly parameterValue: string
}

/** Asked for by all who connect at the same time. */
const beingAsked = new Map<string, Promise<string>>()

/** The first address whose server takes writes now. Rejects with what is to be said of all of them. */
export function writableAddress(addresses: readonly [string, ...string[]]): Promise<string> {
  const key = addresses.join('\n')
  const known = beingAsked.get(key)
  if (known !== undefined) return known
  const asked = askAll(addresses).finally(() => beingAsked.delete(key))
  beingAsked.set(key, asked)
  return asked
}

async function askAll(addresses: readonly string[]): Promise<string> {
  const answers = addresses.map((address) => ask(address))
  const refusals: Error[] = []
  for (const [at, answer] of answers.entries()) {
    const refusal = await answer
    if (refusal === null) return addresses[at] ?? ''
    refusals.push(refusal)
  }
  throw noneOf(refusals)
}

/** Null: it takes writes. */
async function ask(address: string): Promise<Error | null> {
  const client = new WritableClient({
    connectionString: address,
    connectionTimeoutMillis: ASK_MS,
    application_name: 'factotum asking',
  })
  try {
    await client.connect()
    void client.end().catch(() => {})
    return null
  } catch (error) {
    return Object.assign(new Error(`${client.host}:${client.port}: ${messageOf(error)}`), {
      code: (error as { code?: unknown }).code,
    })
  }
}

/** A login that is refused is told as that: a person must act. */
function noneOf(refusals: readonly Error[]): Error {
  const says = `no host takes writes: ${refusals.map(messageOf).join('; ')}`
  const wrong = refusals.find((refusal) => hasCode(refusal, '28P01', '28000', '3D000'))
  const code = wrong === undefined ? READ_ONLY : (wrong as Error & { code?: unknown }).code
  return Object.assign(new Error(says), { code })
}
