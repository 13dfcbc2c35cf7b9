import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { must } from '../platform/must.ts'
import { isServer, readProcessFacts, type ProcessFacts } from './postmaster-identity.ts'

const server = { data: '/home/pg/data', folder: '8 15', startedAtS: 1000 }
const running: ProcessFacts = {
  command: ['/opt/bin/postgres', '-D', '/home/pg/data', '-p', '5'],
  startedAtS: 1001,
  folder: '8 15',
}

test.each<[string, Partial<ProcessFacts>, boolean]>([
  ['works in the data directory', {}, true],
  ['works in it under the name that it had before', { command: ['postgres', '-D', '/old/pg/data'] }, true],
  ['works in another one, of which ours is a copy', { folder: '8 16' }, false],
  ['is the backend of some other server', { command: ['postgres: factotum factotum [local] idle'] }, false],
  ['has only the word in its arguments', { command: ['psql', 'postgres'] }, false],
  ['has ended', { command: [''] }, false],
  ['began when the file says, in a folder that cannot be seen', { folder: null }, true],
  ['began later', { folder: null, startedAtS: 1060 }, false],
  ['began at that time, for another data directory', { folder: null, command: ['postgres', '-D', '/b'] }, false],
])('a process that %s', (_what, facts, expected) => {
  expect(isServer({ ...running, ...facts }, server)).toBe(expected)
})

test('when a process began is read to the second', async () => {
  const beforeS = systemClock.now().getTime() / 1000
  const child = spawn('sleep', ['600'])
  await once(child, 'spawn')
  const afterS = systemClock.now().getTime() / 1000
  const startedAtS = (await readProcessFacts(must(child.pid, 'it runs')))?.startedAtS ?? 0
  child.kill()
  expect(startedAtS).toBeGreaterThan(beforeS - 3)
  expect(startedAtS).toBeLessThan(afterS + 3)
})

test('of a process that has ended there is no command', async () => {
  expect(await readProcessFacts(2 ** 30)).toEqual({ command: [], startedAtS: null, folder: null })
})
