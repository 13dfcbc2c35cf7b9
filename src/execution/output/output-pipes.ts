/**
 * Pipes for the output of commands. The ones that Node makes for a child are sockets, and a socket cannot be opened by
 * name: `echo failed > /dev/stderr` or `tee /dev/stdout` in a command would end with "No such device or address".
 * So these are named pipes, made in batches (one short process each) and used again when both ends are closed.
 */
import { execFile } from 'node:child_process'
import { chmodSync, closeSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { must } from '../../platform/must.ts'

const runFile = promisify(execFile)
const BATCH_SIZE = 32

/**
 * One stream of one command. Once its end has been read, another command may get it; one that was abandoned is not used
 * again.
 */
export interface OutputPipe {
  /** Becomes the command's stdout or stderr. */
  readonly writeFd: number
  /** After the start: the command alone holds the writing end. Call it once. */
  closeWriteEnd(): void
  /** Resolves when no process has the writing end open any more, or after `abandon`. Call it once. */
  read(onChunk: (chunk: Buffer) => void): Promise<void>
  /** Stops reading although a process may still write. No effect when the end has been read. */
  abandon(): void
}

/** Pipes are reused and never removed: that is for the owner of the folder. */
export class OutputPipes {
  readonly #folder: string
  readonly #free: string[] = []
  #madeCount = 0
  #batch: Promise<void> | null = null

  /** Made in `folder`, which exists and is used for nothing else. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Pipes for one command. Resolves at once unless more are needed than ever before. */
  async takePair(): Promise<readonly [stdout: OutputPipe, stderr: OutputPipe]> {
    while (this.#free.length < 2) await (this.#batch ??= this.#makeBatch().finally(() => (this.#batch = null)))
    const stdout = this.#open()
    try {
      return [stdout, this.#open()]
    } catch (error) {
      stdout.closeWriteEnd()
      stdout.abandon()
      throw error
    }
  }

  #open(): OutputPipe {
    const path = must(this.#free.pop(), 'the caller has looked')
    return openPipe(path, () => void this.#free.push(path))
  }

  async #makeBatch(): Promise<void> {
    const paths = Array.from({ length: BATCH_SIZE }, (_, index) => join(this.#folder, String(this.#madeCount + index)))
    this.#madeCount += BATCH_SIZE
    await runFile('mkfifo', paths, { env: { PATH: '/usr/bin:/bin' } })
    // The unprivileged account may open its own output by name. Only through that: the folder is closed to it.
    for (const path of paths) chmodSync(path, 0o666)
    this.#free.push(...paths)
  }
}

function openPipe(path: string, release: () => void): OutputPipe {
  // The reader first, and without waiting for a writer; the writer then finds a reader and does not wait either.
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writeFd = openSync(path, constants.O_WRONLY)
  const reader = new Socket({ fd: readFd, readable: true, writable: false })
  let hasEnded = false
  reader.once('end', () => (hasEnded = true))
  const closed = new Promise<void>((resolve) => {
    reader.once('close', () => {
      // Reused only after its end was read: no process of this command can write into the next command's output.
      if (hasEnded) release()
      resolve()
    })
  })
  return {
    writeFd,
    closeWriteEnd: () => closeSync(writeFd),
    read: (onChunk) => {
      reader.on('data', onChunk)
      return closed
    },
    abandon: () => void reader.destroy(),
  }
}
