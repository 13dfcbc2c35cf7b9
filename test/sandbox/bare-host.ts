/** A command host without a server, so that nobody but the kernel ends what it runs. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { DEFAULT_COMMAND_LIMITS } from '../../src/execution/command-limits.ts'
import type { HostAnswer, HostRequest, HostSettings } from '../../src/execution/host/host-messages.ts'
import { CODE_CACHE } from '../../src/platform/code-cache.ts'
import { must } from '../../src/platform/must.ts'
import { FOREVER_MS } from './sandbox-support.ts'

const MAIN = fileURLToPath(new URL('../../src/execution/host/command-host-main.ts', import.meta.url))

export class BareHost {
  readonly #process: ChildProcess
  readonly #answers = new Map<number, PromiseWithResolvers<void>>()
  readonly #exited: Promise<unknown>
  #nextId = 1

  /** Resolves when it has found out what works here, and may run commands. */
  static async start(home: string, bubblewrapPaths: readonly string[]): Promise<BareHost> {
    const host = new BareHost({ home, limits: DEFAULT_COMMAND_LIMITS, bubblewrapPaths })
    host.#send({ type: 'ALLOW', untilMs: FOREVER_MS })
    await host.probe()
    return host
  }

  private constructor(settings: HostSettings) {
    this.#process = fork(MAIN, [JSON.stringify(settings)], { execArgv: [], env: { NODE_COMPILE_CACHE: CODE_CACHE } })
    this.#exited = once(this.#process, 'exit')
    this.#process.on('message', (answer: HostAnswer) => {
      if (answer.type !== 'PROBLEM' && answer.type !== 'MEASURED') this.#answers.get(answer.id)?.resolve()
    })
  }

  get pid(): number {
    return must(this.#process.pid, 'the host runs')
  }

  async probe(): Promise<void> {
    await this.#ask((id) => ({ type: 'PROBE', id }))
  }

  /** Resolves when the command has ended; never, when the host ends before. */
  async run(command: string, { sessionId, isConfined }: { sessionId: string; isConfined: boolean }): Promise<void> {
    const program = { kind: 'COMMAND', command } as const
    const outputs = { list: null, files: [], isFirstOfTurn: true }
    await this.#ask((id) => ({
      type: 'RUN',
      id,
      request: { sessionId, program, timeoutMs: 60_000, isConfined, outputs, workspace: null },
    }))
  }

  /** Resolves when it has ended. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#exited
  }

  async #ask(requestOf: (id: number) => HostRequest): Promise<void> {
    const id = this.#nextId++
    const answered = Promise.withResolvers<void>()
    this.#answers.set(id, answered)
    this.#send(requestOf(id))
    await answered.promise
  }

  #send(request: HostRequest): void {
    this.#process.send(request, () => {})
  }
}
