/**
 * A second process of the bench, and how it is asked: the parent calls named functions, the child answers. Load, floor
 * and subscribers run in processes of their own so that the server's figures are the server's.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What a child offers: one argument, one answer, both of plain data. */
type Api<Functions> = { readonly [Name in keyof Functions]: (argument: never) => Promise<unknown> }

interface Call {
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

export class HelperProcess<Functions extends Api<Functions>> implements AsyncDisposable {
  readonly pid: number
  readonly #child: ChildProcess
  readonly #open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  #nextId = 1

  /** `file`: a script of this folder that calls `serveParent`. */
  constructor(file: string) {
    this.#child = fork(fileURLToPath(new URL(file, import.meta.url)), [], { serialization: 'advanced' })
    this.pid = this.#child.pid ?? 0
    this.#child.on('message', ({ id, value, error }: Answer) => {
      const call = this.#open.get(id)
      this.#open.delete(id)
      if (error === undefined) call?.resolve(value)
      else call?.reject(new Error(`${file}: ${error}`))
    })
    this.#child.once('exit', (code) => {
      for (const call of this.#open.values()) call.reject(new Error(`${file} ended with code ${code}`))
      this.#open.clear()
    })
  }

  call<Name extends keyof Functions & string>(
    name: Name,
    argument?: Parameters<Functions[Name]>[0],
  ): ReturnType<Functions[Name]> {
    const id = this.#nextId++
    const answer = new Promise((resolve, reject) => this.#open.set(id, { resolve, reject }))
    this.#child.send({ id, name, argument } satisfies Call)
    return answer as ReturnType<Functions[Name]>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.disconnect()
    await exited
  }
}

/** In the child: answers the parent until it disconnects, then runs `close` and ends. */
export function serveParent<Functions extends Api<Functions>>(
  functions: Functions,
  close: () => Promise<void> = () => Promise.resolve(),
): void {
  process.on('message', ({ id, name, argument }: Call) => {
    const answer = (message: Omit<Answer, 'id'>): void => void process.send?.({ id, ...message })
    const call = functions[name as keyof Functions] as unknown as (argument: unknown) => Promise<unknown>
    call(argument).then(
      (value) => answer({ value }),
      (error: unknown) => answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => void close().finally(() => process.exit()))
}
