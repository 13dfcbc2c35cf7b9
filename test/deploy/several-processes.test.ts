/**
 * Two processes behind a proxy of deploy/, replaced one after the other: each request is answered by the one that is
 * there. The processes are plain servers; what counts is what the proxy does when it finds one gone.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { lastingPort } from '../harness/lasting-port.ts'
import { PATIENCE } from '../harness/patience.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { answers, PROXIES } from './proxies.ts'

/** In a row: a proxy that spreads them over both would fail at the other one. */
const REQUESTS = 20
const DEPLOY = join(import.meta.dirname, '../../deploy')

for (const { program, example, path, configure, args, hasChecks } of PROXIES) {
  test.skipIf(!existsSync(program))(
    `a process that was away keeps no request from the others: ${example}`,
    async () => {
      await using home = await createTemporaryHome()
      const [listen = 0, ...upstreams] = await distinctPorts(3)
      const config = join(home.path, example)
      await writeFile(config, configure(await readFile(join(DEPLOY, example), 'utf8'), { listen, upstreams }))
      const url = `http://127.0.0.1:${listen}${path}/graphql`
      const [one = 0, two = 0] = upstreams
      const answeredBy = async (port: number): Promise<void> => {
        const all = Array.from({ length: REQUESTS }, () => String(port))
        const check = async (): Promise<void> => expect(await ask(url)).toEqual(all)
        await (hasChecks ? vi.waitFor(check, PATIENCE) : check())
      }
      let [first, second] = [await serve(one), await serve(two)]
      const proxy = spawn(program, args(config, home.path), { stdio: 'ignore', env: { HOME: home.path } })
      try {
        await answers(url, proxy)
        await end(second)
        await answeredBy(one)
        second = await serve(two)
        await end(first)
        await answeredBy(two)
        first = await serve(one)
      } finally {
        proxy.kill()
        if (proxy.exitCode === null) await once(proxy, 'exit')
        await Promise.all([end(first), end(second)])
      }
    },
  )
}

async function distinctPorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(Number(await lastingPort()))
  return [...ports]
}

async function serve(port: number): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(String(port)))
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return server
}

async function end(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}

async function ask(url: string): Promise<readonly string[]> {
  const answered: string[] = []
  while (answered.length < REQUESTS) answered.push(await (await fetch(url, { method: 'POST', body: '{}' })).text())
  return answered
}
