/** Ctrl-C, and a reader that has gone: what they end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { serverProgram } from '../harness/server-program.ts'
import { converse, Story, tokenOf } from '../harness/story.ts'
import { seen, TypedTerminal } from './typed-terminal.ts'

test('the first one ends ask with 130, which says how to follow what goes on', async () => {
  await using story = await Story.begin()
  await using terminal = new TypedTerminal(story.app.url, "ask --session cli:long 'run: sleep 60'")
  await seen(terminal, '▸ 1 EXEC sleep 60')
  terminal.interrupt()
  expect(await terminal.ended()).toBe(130)
  const [, follow = ''] = /goes on; follow it with: factotum (tail cli:long .*)\n/.exec(terminal.shown) ?? []
  await using tail = new TypedTerminal(story.app.url, follow)
  await seen(tail, /task 1 +RUNNING sleep 60/)
  expect(tail.shown).not.toMatch(/turn \w+ in/)
  tail.interrupt()
  expect(await tail.ended()).toBe(0)
})

test('to follow a session that is not there yet says so, and shows its first message', async () => {
  await using story = await Story.begin()
  await using tail = new TypedTerminal(story.app.url, 'tail cli:later')
  await seen(tail, 'There is no session "cli:later" yet; waiting for its first message.')
  await converse(story.as('ada'), 'cli:later', 'run: echo first')
  await seen(tail, /turn \w+ in/)
  tail.interrupt()
  expect(await tail.ended()).toBe(0)
})

test('the first one ends a command whose server does not answer', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const env = { PATH: process.env['PATH'], FACTOTUM_TOKEN: tokenOf('ada') }
  const reached = once(silent, 'connection')
  const child = spawn(process.execPath, [await serverProgram(), 'users', '--url', url], { env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  const [socket] = await reached
  child.kill('SIGINT')
  expect(await ended).toEqual([null, 'SIGINT'])
  socket.destroy()
  silent.close()
})

test('a reader that has read enough is no failure, and nothing is said of it', async () => {
  await using story = await Story.begin()
  await converse(story.as('ada'), 'cli:piped', 'run: echo one')
  const env = { PATH: process.env['PATH'], FACTOTUM_TOKEN: tokenOf('ada'), DATABASE_URL: story.databaseUrl }
  for (const words of [`sessions --url ${story.app.url}`, `session export cli:piped --home ${story.home}`]) {
    const child = spawn(process.execPath, [await serverProgram(), ...words.split(' ')], { env })
    child.stdout.destroy()
    const ended = once(child, 'exit')
    expect(await text(child.stderr)).toBe('')
    expect(await ended).toEqual([0, null])
  }
})
