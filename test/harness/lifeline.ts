/**
 * Tells a test whether a command and everything it started is still alive, in whatever namespace it runs: the command
 * opens a connection to here, its children inherit it, and the system closes it with the last of them. For commands of
 * admins, which may use the network.
 */
import { createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export class Lifeline implements AsyncDisposable {
  /** Resolves when a command has connected. */
  readonly held: Promise<void>
  /** Resolves when the last process that held the connection is gone. */
  readonly released: Promise<void>
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    const connected = new Promise<Socket>((resolve) => void server.once('connection', resolve))
    this.held = connected.then(() => undefined)
    this.released = connected.then((socket) => new Promise((resolve) => void socket.resume().once('close', resolve)))
  }

  static async open(): Promise<Lifeline> {
    const server = createServer()
    const lifeline = new Lifeline(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return lifeline
  }

  /** What a bash command begins with to hold the lifeline; everything it starts after that holds it too. */
  get hold(): string {
    return `exec 9<>/dev/tcp/127.0.0.1/${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
