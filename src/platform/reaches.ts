/** Whether a connection is accepted at an address, within 3 s. */
import { connect } from 'node:net'

const PROBE_MS = 3000

/** Never rejects. What listens there is not asked anything. */
export function reaches(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PROBE_MS })
    const end = (isThere: boolean): void => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}
