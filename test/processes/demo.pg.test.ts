/** `npm run demo`, as it is seen in a terminal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '../harness/database.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { PATIENCE } from '../harness/patience.ts'

/** The end of the test ends it. */
interface Demo extends AsyncDisposable {
  /** All that it has printed. */
  text(): string
  /** Ctrl-C. */
  interrupt(): void
  readonly exited: Promise<number | null>
}

function start(env: Readonly<Record<string, string>>, flags: readonly string[] = []): Demo {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, ['scripts/demo.ts', ...flags], { env: { PATH, ...env } })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return {
    text: () => stripVTControlCharacters(text),
    interrupt: () => void child.kill('SIGINT'),
    exited,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function listen(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

/** As many as a deployment has, in whose forms most letters and digits begin. */
const SECRETS = Array.from(
  { length: 10 },
  (_, n) => `SECRET_${n}=${n}${'aZ3qW8eR5tY1uI7o'.slice(n)}-${n * 7919}\n`,
).join('')

test('it serves where PORT says, shows what a command prints as it is printed, and ends with Ctrl-C', async () => {
  await using home = await createTemporaryHome()
  await using database = await createTestDatabase()
  await chmod(home.path, 0o711)
  await mkdir(join(home.path, 'demo'))
  await writeFile(join(home.path, 'demo', '.env'), SECRETS, { mode: 0o600 })
  const { server, port } = await listen()
  const env = { DATABASE_URL: database.url, FACTOTUM_HOME: home.path, PORT: String(port) }

  await using refused = start(env)
  expect(await refused.exited).toBe(1)
  expect(refused.text()).toMatch(new RegExp(`^factotum: Port ${port} on 127.0.0.1 is in use, .* Choose another`, 'm'))
  expect(refused.text()).not.toContain('    at ')
  server.close()
  await once(server, 'close')

  await using demo = start(env)
  await vi.waitFor(() => expect(demo.text()).toContain('Stop      Ctrl-C'), PATIENCE)
  const url = `http://127.0.0.1:${port}`
  expect(demo.text()).toContain(`Serving on ${url} `)
  expect(demo.text()).toMatch(
    /^ {2}Console {3}http:\/\/127\.0\.0\.1:\d+\/#\/login\/[0-9a-f]{32} .*\n[^\n]*\n {2}GraphiQL/m,
  )
  expect(demo.text()).toContain(`GraphiQL  ${url}/graphql `)
  // "   16 19:44:46.406 output   step 1 of 3": with the moment when it was recorded, and what came with it below.
  const lines = demo.text().split('\n')
  const first = lines.findIndex((line) => /^ *\d+ [\d:.]{12} output {3}step/.test(line))
  const done = lines.findIndex((line) => /task 2 {3}DONE/.test(line))
  const steps = lines.slice(first, done).flatMap((line) => /step \d of 3$/.exec(line) ?? [])
  expect(steps).toEqual(['step 1 of 3', 'step 2 of 3', 'step 3 of 3'])
  // Had they been held back until the command ended, the first would have been recorded then.
  expect(recordedAt(lines[first] ?? '') < recordedAt(lines[done] ?? '')).toBe(true)
  expect((await fetch(`${url}/health`)).status).toBe(200)
  demo.interrupt()
  expect(await demo.exited).toBe(0)
})

function recordedAt(line: string): string {
  return line.slice(5, 17)
}

test.each([
  ['a port that is none', { PORT: 'http' }, /^factotum: .*PORT.* must be a port from 0 to 65535/ms],
  [
    'a database that is none',
    { DATABASE_URL: 'mysql://x' },
    /^factotum: .*DATABASE_URL.* must be a PostgreSQL address/ms,
  ],
])('%s is told in a sentence', async (_what, env, expected) => {
  await using home = await createTemporaryHome()
  await using demo = start({ FACTOTUM_HOME: home.path, ...env }, ['--exit'])
  expect(await demo.exited).toBe(1)
  expect(demo.text()).toMatch(expected)
  expect(demo.text()).not.toContain('    at ')
})
