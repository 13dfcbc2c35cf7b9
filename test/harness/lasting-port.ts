/**
 * A port for a server that is killed and started again under the same address. What the system gives for port 0 may be
 * given to another test's server meanwhile, which answers the clients then; it gives none of these.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below what Linux gives by default (net.ipv4.ip_local_port_range: 32768 to 60999). */
const [LOWEST, HIGHEST] = [20_000, 32_000]
const MAX_ATTEMPTS = 50

export async function lastingPort(): Promise<string> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST))
    if (await isFree(port)) return String(port)
  }
  throw new Error(`none of ${MAX_ATTEMPTS} ports from ${LOWEST} to ${HIGHEST} is free`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
