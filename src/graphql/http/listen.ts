/** Has a server listen, or says what to change. */
import type { Server } from 'node:http'
import { AppError } from '../../core/errors.ts'

export interface ListenAt {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Where the address is set, if not by --host and --port. */
  readonly setBy?: string
}

/** Rejects with an AppError when the address cannot be had. */
export function listen(server: Server, at: ListenAt): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => reject(explain(error, at))
    server.once('error', fail)
    server.listen(at.port, at.host, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

function explain(error: Error, { host, port, setBy }: ListenAt): Error {
  const [portBy, hostBy] = setBy === undefined ? ['--port or PORT', '--host or HOST'] : [setBy, setBy]
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use, perhaps by another server of yours. Choose another with ${portBy}; 0 takes any free one.`,
    EACCES: `Port ${port} may not be used without more rights. Choose one above 1023 with ${portBy}.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Choose one that it has with ${hostBy}, such as 127.0.0.1 or 0.0.0.0.`,
  }
  const other = `No server can listen on ${host} (${error.message}). Choose an address of this machine with ${hostBy}, such as 127.0.0.1 or 0.0.0.0.`
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? other
  return new AppError('ADDRESS_UNAVAILABLE', reason, { cause: error })
}
