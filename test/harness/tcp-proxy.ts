/**
 * A way to a TCP server that tests can break: put between a server process and PostgreSQL, or a client and a server, it
 * resets connections, swallows bytes, or loses the answer to one particular statement after it was carried out.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * FLOWING: bytes pass. CUT: connections are reset, new ones too. SILENT: connections stand, nothing passes, as if the
 * cable were out.
 */
type ProxyState = 'FLOWING' | 'CUT' | 'SILENT'

interface Trap {
  /** Who sends this loses the answer. */
  readonly marker: Buffer
  readonly sprung: () => void
}

/**
 * ReadyForQuery, idle, and an ErrorResponse (https://www.postgresql.org/docs/current/protocol-message-formats.html).
 */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1')
const POSTMASTER_EXIT = errorResponse(
  'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0',
)

function errorResponse(fields: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + Buffer.byteLength(fields))
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])
}

export class TcpProxy implements AsyncDisposable {
  #target: { readonly host: string; readonly port: number }
  readonly #server = createServer((client) => this.#accept(client))
  readonly #clients = new Set<Socket>()
  #state: ProxyState = 'FLOWING'
  #trap: Trap | null = null
  #postmasterIsDead = false
  #fatal: Buffer | null = null

  private constructor(target: URL) {
    this.#target = addressOf(target)
  }

  /** A proxy for the server that this URL names. */
  static async start(url: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(url))
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  /** The same URL, by way of this proxy. */
  through(url: string): string {
    const changed = new URL(url)
    changed.hostname = '127.0.0.1'
    changed.port = String((this.#server.address() as AddressInfo).port)
    return changed.href
  }

  /** New connections go to this server from now on. */
  leadTo(url: string): void {
    this.#target = addressOf(new URL(url))
  }

  /** Resets every connection, and each new one. */
  cut(): void {
    this.#state = 'CUT'
    for (const client of this.#clients) client.resetAndDestroy()
  }

  /** Resets one connection: `choose` is given how many there are, and says which, from 0. */
  cutOne(choose: (count: number) => number): void {
    ;[...this.#clients][choose(this.#clients.size)]?.resetAndDestroy()
  }

  /** Lets every connection stand, and nothing pass. */
  silence(): void {
    this.#state = 'SILENT'
    for (const client of this.#clients) client.pause()
  }

  /**
   * Lets new connections through again. Those that stood in silence are reset, as after a reboot of what lies between.
   */
  restore(): void {
    if (this.#state === 'SILENT') for (const client of this.#clients) client.resetAndDestroy()
    this.#state = 'FLOWING'
  }

  /**
   * The next connection that sends `marker` is reset when its answer comes: the statement is carried out and nobody is
   * told. Resolves when that has happened.
   */
  loseAnswerTo(marker: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#trap = { marker: Buffer.from(marker), sprung: resolve }
    return promise
  }

  /**
   * A client that is told "ready for your next statement" hears in the same breath that the connection is over, as from
   * a PostgreSQL whose postmaster has just died.
   */
  dieWhenReady(): void {
    this.#postmasterIsDead = true
  }

  /** A client that sends `marker` hears the same, and the server nothing. */
  dieAt(marker: string): void {
    this.#fatal = Buffer.from(marker)
  }

  /** Connections live again. */
  live(): void {
    this.#postmasterIsDead = false
    this.#fatal = null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept(client: Socket): void {
    client.on('error', () => client.destroy())
    if (this.#state === 'CUT') return void client.resetAndDestroy()
    this.#clients.add(client)
    const upstream = connect(this.#target)
    upstream.on('error', () => client.resetAndDestroy())
    upstream.once('close', () => client.destroy())
    client.once('close', () => {
      this.#clients.delete(client)
      upstream.destroy()
    })
    this.#carry(client, upstream)
    if (this.#state === 'SILENT') client.pause()
  }

  #carry(client: Socket, upstream: Socket): void {
    let caught: Trap | null = null
    client.on('data', (chunk: Buffer) => {
      if (this.#fatal !== null && chunk.includes(this.#fatal)) return void client.end(POSTMASTER_EXIT)
      if (this.#trap !== null && chunk.includes(this.#trap.marker)) {
        caught = this.#trap
        this.#trap = null
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => {
      if (this.#state === 'SILENT') return
      if (this.#postmasterIsDead && chunk.subarray(-READY.length).equals(READY))
        return void client.end(Buffer.concat([chunk, POSTMASTER_EXIT]))
      if (caught === null) return void client.write(chunk)
      client.resetAndDestroy()
      caught.sprung()
    })
  }
}

function addressOf({ hostname, port }: URL): { readonly host: string; readonly port: number } {
  return { host: hostname, port: Number(port) }
}
