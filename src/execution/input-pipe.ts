/**
 * What a program reads from its standard input, through a named pipe like those of `output-pipes.ts`: `/dev/stdin` can be opened
 * by name, and nothing of the text, which may hold secrets, is in a file or on a command line. Each is used once.
 */
import { execFile } from 'node:child_process'
import { chmodSync, closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const runFile = promisify(execFile)
const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

export interface InputPipe {
  /** Becomes the program's standard input. */
  readonly readFd: number
  /** After the start: the program alone reads, and when it has ended, writing ends too. */
  closeReadEnd(): void
}

/** Begins to write at once. Rejects when there is no pipe to be had. */
export async function openInputPipe(text: string): Promise<InputPipe> {
  const folder = mkdtempSync(join(tmpdir(), 'factotum-input-'))
  try {
    const path = join(folder, 'input')
    await runFile('mkfifo', [path], { env: { PATH: '/usr/bin:/bin' } })
    // The unprivileged account may open its own input by name. Only through that: the folder is closed to it, and soon gone.
    chmodSync(path, 0o666)
    return openBothEnds(path, text)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function openBothEnds(path: string, text: string): InputPipe {
  // A program expects to wait for its input, so its end must be opened without O_NONBLOCK, which waits for a writer; and a
  // writer that does not wait needs a reader. Hence a first reader, until both ends are there.
  const firstReader = openSync(path, O_RDONLY | O_NONBLOCK)
  const writeFd = openSync(path, O_WRONLY | O_NONBLOCK)
  const readFd = openSync(path, O_RDONLY)
  closeSync(firstReader)
  const writer = new Socket({ fd: writeFd, readable: false, writable: true })
  // A program may end without having read its input: then there is nobody left to write to.
  writer.on('error', () => writer.destroy())
  writer.end(text)
  return { readFd, closeReadEnd: () => closeSync(readFd) }
}
