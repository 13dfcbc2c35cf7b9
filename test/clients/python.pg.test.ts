/** examples/python with Debian's Python: a message and what comes of it, over an interruption. */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Story, tokenOf, watchAll, turnEnd } from '../harness/story.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'

const PYTHON = '/usr/bin/python3'
const hasPython = spawnSync(PYTHON, ['-c', 'import websockets']).status === 0
const without = hasPython ? '' : ' (skipped: python3-websockets is not installed)'
const SESSION = 'cli:python'

interface Printed {
  readonly __typename: string
  readonly seq: number
}

test.skipIf(!hasPython)(`Python says something, and is given every event once${without}`, async () => {
  await using story = await Story.begin()
  await using proxy = await TcpProxy.start(story.app.url)
  const url = new URL(proxy.through(story.app.url)).origin
  const gate = story.path('gate')
  const text = `run: until [ -e ${gate} ]; do echo on; sleep 0.2; done`
  const program = spawn(PYTHON, ['examples/python/factotum.py', url, SESSION, text], {
    env: { FACTOTUM_TOKEN: tokenOf('ada') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed: Printed[] = []
  createInterface(program.stdout).on('line', (line) => printed.push(JSON.parse(line) as Printed))
  const outputs = () => printed.filter(({ __typename: type }) => type === 'TaskOutputEvent').length
  await expect.poll(outputs).toBeGreaterThan(1)
  proxy.cut()
  await writeFile(gate, '')
  await using watch = watchAll(story.as('ada'), SESSION)
  await turnEnd(watch)
  proxy.restore()
  await expect.poll(() => program.exitCode).toBe(0)

  const lasting = (events: readonly { readonly __typename: string; readonly seq: number }[]) =>
    events.flatMap(({ __typename: type, seq }) => (type === 'TextDeltaEvent' ? [] : [seq]))
  const log = watch.received.map(({ sessionEvents }) => sessionEvents)
  expect(printed.length).toBeGreaterThan(8)
  expect(lasting(printed)).toEqual(lasting(log).filter((seq) => seq >= (printed[0]?.seq ?? 0)))

  const args = ['examples/python/factotum.py', story.app.url, SESSION, 'Hello']
  const stranger = promisify(execFile)(PYTHON, args, { env: { FACTOTUM_TOKEN: 'nobody' } })
  await expect(stranger).rejects.toMatchObject({ stderr: expect.stringContaining('RuntimeError') })
})
