/** Files that are written for longer than the next run for the same name waits. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { removeStaleParts } from '../../src/transfer/backup/stale-parts.ts'
import { writeWholeFile } from '../../src/transfer/whole-file.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

test('of two that are written under one name at the same time, each is whole, and the last one stays', async () => {
  await using home = await createTemporaryHome()
  const file = join(home.path, 'backup')
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  async function* slow(): AsyncGenerator<string> {
    yield 'first '
    begun.resolve()
    await goOn.promise
    yield 'first '
  }
  const first = writeWholeFile(file, (into) => pipeline(slow, into))
  await begun.promise
  await writeWholeFile(file, (into) => pipeline(Readable.from(['second']), into))
  expect(await readFile(file, 'utf8')).toBe('second')
  goOn.resolve()
  await first
  expect(await readFile(file, 'utf8')).toBe('first first ')
  expect(await readdir(home.path)).toEqual(['backup'])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

const ENDLESS = `
import { writeWholeFile } from '${import.meta.dirname}/../../src/transfer/whole-file.ts'
await writeWholeFile(process.argv[2], async (into) => {
  into.once('open', () => console.log('open'))
  await new Promise((resolve) => setInterval(() => resolve, 60_000))
})
`

test('a signal that ends the process leaves nothing beside the file of before', async () => {
  await using home = await createTemporaryHome()
  const [file, script] = [join(home.path, 'backup'), join(home.path, 'endless.ts')]
  await writeFile(file, 'of before')
  await writeFile(script, ENDLESS)
  const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  expect((await readdir(home.path)).length).toBe(3)
  child.kill('SIGINT')
  expect(await ended).toEqual([null, 'SIGINT'])
  expect((await readdir(home.path)).toSorted()).toEqual(['backup', 'endless.ts'])
  expect(await readFile(file, 'utf8')).toBe('of before')
})

test.each(['folder', 'pipe'])('what is no file is not replaced by one: %s', async (name) => {
  await using home = await createTemporaryHome()
  const path = join(home.path, name)
  if (name === 'folder') await mkdir(path)
  else execFileSync('mkfifo', [path])
  let isBegun = false
  const writing = writeWholeFile(path, async (into) => {
    isBegun = true
    await pipeline(Readable.from(['whole']), into)
  })
  await expect(writing).rejects.toThrow(`${path} is there, and is no file`)
  expect(isBegun).toBe(false)
  expect((await stat(path)).isFile()).toBe(false)
  expect(await readdir(home.path)).toEqual([name])
})

test('what a backup that was killed has left is removed by a later one into that folder, that of one that runs is not', async () => {
  await using home = await createTemporaryHome()
  const [file, script] = [join(home.path, 'backup'), join(home.path, 'endless.ts')]
  await writeFile(script, ENDLESS)
  const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await ended
  const part = (await readdir(home.path)).find((name) => name.startsWith('backup.')) ?? ''
  await writeFile(join(home.path, 'another.part'), 'of another program')
  const tonight = join(home.path, 'backup of tonight')
  const parts = { removed: [], left: [join(home.path, part)] }
  expect(await removeStaleParts(tonight, systemClock)).toEqual(parts)
  const hence = (hours: number): Date => new Date(Date.now() + hours * 3_600_000)
  expect(await removeStaleParts(tonight, { now: () => hence(11.9) })).toEqual(parts)
  expect(await removeStaleParts(tonight, { now: () => hence(12.1) })).toEqual({ removed: parts.left, left: [] })
  expect((await readdir(home.path)).toSorted()).toEqual(['another.part', 'endless.ts'])
  expect(await removeStaleParts(join(home.path, 'no', 'folder'), systemClock)).toEqual({ removed: [], left: [] })
})
