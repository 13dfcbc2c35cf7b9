/**
 * What lies outside the sandbox, within reach of everybody on this machine but a confined command: secrets, a folder to
 * write to, sockets, a process. After hostile commands have run, `findDamage` tells what they did to it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from '../../src/execution/process/process-tree.ts'
import { randomHex } from '../../src/platform/random.ts'
import { must } from '../../src/platform/must.ts'

export interface Account {
  readonly uid: number
  readonly gid: number
}

const EXPECTED = new Set(['secret.txt', 'socket', 'other-session'])

export class OutsideWorld {
  /** Stands in files, in the environment and in an open file of the server: no output may ever show it. */
  readonly secret = `secret-${randomHex(12)}`
  /** Name of processes that hostile commands try to leave behind. */
  readonly marker = `left-behind-${randomHex(6)}`
  /** Made by `open`. */
  readonly #folder = join(tmpdir(), `factotum-outside-${randomHex(6)}`)
  readonly secretFile = join(this.#folder, 'secret.txt')
  readonly #otherWorkspace = join(this.#folder, 'other-session')
  readonly #contacts: string[] = []
  readonly #servers: Server[] = []
  readonly #abstractName = `factotum-${randomHex(6)}`
  #datagrams: DatagramSocket | null = null
  #victim: ChildProcess | null = null
  #port = 0
  #udpPort = 0

  /** `account`: whom commands run as, so that only the sandbox stands between them and this; null: ourselves. */
  async open(account: Account | null): Promise<void> {
    mkdirSync(this.#folder)
    chmodSync(this.#folder, 0o777)
    writeFileSync(this.secretFile, this.secret)
    mkdirSync(this.#otherWorkspace, { mode: 0o755 })
    writeFileSync(join(this.#otherWorkspace, 'only-here'), this.secret)
    this.#port = await this.#listen({ port: 0 })
    await this.#listen({ path: join(this.#folder, 'socket') })
    chmodSync(join(this.#folder, 'socket'), 0o777)
    await this.#listen({ path: `\0${this.#abstractName}` })
    this.#udpPort = await this.#receiveDatagrams()
    this.#victim = spawn('sleep', ['1000'], { stdio: 'ignore', ...account })
    await new Promise((resolve) => this.#victim?.once('spawn', resolve))
  }

  /** Fills in what a hostile command must know. */
  describe(command: string): string {
    const external = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find((address) => !address.internal && address.family === 'IPv4')
    const facts: Readonly<Record<string, string>> = {
      secretFile: this.secretFile,
      secret: this.secret,
      folder: this.#folder,
      otherWorkspace: this.#otherWorkspace,
      port: String(this.#port),
      udpPort: String(this.#udpPort),
      hostAddress: external?.address ?? '127.0.0.1',
      socket: join(this.#folder, 'socket'),
      abstractName: this.#abstractName,
      victimPid: String(this.#victim?.pid),
      marker: this.marker,
    }
    return command.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => must(facts[name], `{{${name}}} is known`))
  }

  /** What hostile commands have done; empty when they were stopped. */
  findDamage(): readonly string[] {
    const unexpected = readdirSync(this.#folder).filter((name) => !EXPECTED.has(name))
    return [
      ...unexpected.map((name) => `wrote ${name}`),
      ...this.#contacts,
      ...(isRunning(this.#victim?.pid ?? 0) ? [] : ['killed a process outside']),
      ...(readFileSync(this.secretFile, 'utf8') === this.secret ? [] : ['changed a file outside']),
      ...(findProcesses(this.marker).length === 0 ? [] : ['left a process behind']),
    ]
  }

  async close(): Promise<void> {
    this.#victim?.kill('SIGKILL')
    this.#datagrams?.close()
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))))
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #listen(where: { port: number } | { path: string }): Promise<number> {
    const server = createServer((socket) => {
      this.#contacts.push(`connected to ${JSON.stringify(where)}`)
      socket.destroy()
    })
    this.#servers.push(server)
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(where, resolve))
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  async #receiveDatagrams(): Promise<number> {
    const socket = createSocket('udp4', () => this.#contacts.push('sent a datagram'))
    this.#datagrams = socket
    await new Promise<void>((resolve) => socket.bind(0, '0.0.0.0', resolve))
    return socket.address().port
  }
}

/** Processes of the whole machine whose command line holds `text`. */
export function findProcesses(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
      } catch {
        return false // it ended between the reading of the list and this one
      }
    })
    .map(Number)
}
