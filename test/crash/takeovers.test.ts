/** What counts as the time that a turn lay still. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Takeovers } from './takeovers.ts'

const START_MS = Date.parse('2026-01-02T03:04:05Z')
const [FIRST, SECOND, THIRD] = [1, 2, 3] as const

let takeovers: Takeovers
beforeEach(() => {
  vi.useFakeTimers({ now: START_MS, toFake: ['Date'] })
  takeovers = new Takeovers()
})
afterEach(() => void vi.useRealTimers())

const say = (server: number, msg: string, fields: object = {}) =>
  takeovers.note(server, { time: new Date().toISOString(), msg, ...fields })
const join = (server: number) => say(server, 'node joined')
const begin = (server: number) => say(server, 'turn begins', { turnId: 'turn_1' })
const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms)

test('from the death on while another process works', () => {
  join(FIRST)
  join(SECOND)
  begin(FIRST)
  takeovers.died(FIRST, 'KILLED')
  pass(1000)
  join(THIRD)
  pass(200)
  begin(SECOND)
  expect(takeovers.delaysMs('KILLED')).toEqual([1200])
})

test('from the first process that works again when none was left', () => {
  join(FIRST)
  begin(FIRST)
  takeovers.died(FIRST, 'KILLED')
  pass(20_000)
  join(SECOND)
  pass(300)
  begin(SECOND)
  expect(takeovers.delaysMs('KILLED')).toEqual([300])
})

test('not of a turn that had been paused, though its process died before it could say so', () => {
  join(FIRST)
  join(SECOND)
  begin(FIRST)
  takeovers.died(FIRST, 'KILLED')
  expect(takeovers.still).toEqual(['turn_1'])
  takeovers.paused(['turn_1'])
  pass(60_000)
  begin(SECOND)
  expect(takeovers.delaysMs('KILLED')).toEqual([])
})

test('a process that hangs is none that works, until it joins again', () => {
  join(FIRST)
  join(SECOND)
  begin(FIRST)
  takeovers.died(SECOND, 'HANGS')
  takeovers.died(FIRST, 'KILLED')
  pass(5000)
  join(SECOND)
  pass(100)
  begin(SECOND)
  expect(takeovers.delaysMs('KILLED')).toEqual([100])
})
