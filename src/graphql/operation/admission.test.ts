import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { Admission, type Work } from './admission.ts'

/** An admission with a manual clock, and operations that run until the test ends them. */
function stage() {
  let nowMs = 0
  const timers = new Set<{ readonly at: number; readonly action: () => void }>()
  const after = (ms: number, action: () => void): (() => void) => {
    const timer = { at: nowMs + ms, action }
    timers.add(timer)
    return () => timers.delete(timer)
  }
  const admission = new Admission({ after })
  const running: { name: string; end: () => void }[] = []
  const outcomes = new Map<string, string | null>()
  const send = (name: string, kind: Work['kind'], bytes = 1): void => {
    const run = (): Promise<string> => new Promise((end) => running.push({ name, end: () => end('done') }))
    void admission.through({ kind, bytes }, run).then((outcome) => outcomes.set(name, outcome))
  }
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms
    for (const timer of timers) {
      if (timer.at > nowMs) continue
      timers.delete(timer)
      timer.action()
    }
    await settled()
  }
  return { admission, running, outcomes, send, pass }
}

const settled = (): Promise<void> => systemClock.sleep(1)

test('what comes on top waits; intake goes before reads, and each kind in its order', async () => {
  const { admission, running, send } = stage()
  for (let n = 0; n < 24; n += 1) send(`first-${n}`, 'read')
  send('read-1', 'read')
  send('intake-1', 'intake')
  send('read-2', 'read')
  send('intake-2', 'intake')
  await settled()
  expect(running).toHaveLength(24)
  expect(admission.waiting).toBe(4)
  for (const one of running.slice(0, 4)) {
    one.end()
    await settled()
  }
  expect(running.slice(24).map(({ name }) => name)).toEqual(['intake-1', 'intake-2', 'read-1', 'read-2'])
  expect(admission.waiting).toBe(0)
})

test('what waits too long is refused, and never runs', async () => {
  const { running, outcomes, send, pass } = stage()
  for (let n = 0; n < 48; n += 1) send(`${n}`, 'intake')
  await settled()
  // What runs for long keeps others out no more: those get their places after a second, and keep them for one.
  await pass(999)
  expect(running).toHaveLength(24)
  await pass(1)
  expect(running).toHaveLength(48)
  for (let n = 48; n < 144; n += 1) send(`${n}`, 'intake')
  await pass(1000)
  await pass(1000)
  await pass(999)
  expect(outcomes.size).toBe(0)
  await pass(1)
  expect([...outcomes].every(([, outcome]) => outcome === null)).toBe(true)
  expect(running.length + outcomes.size).toBe(144)
})

test('when the line is full, intake takes the places of reads; further intake is refused at once', async () => {
  const { admission, outcomes, send } = stage()
  for (let n = 0; n < 24; n += 1) send(`running-${n}`, 'intake')
  for (let n = 0; n < 2000; n += 1) send(`read-${n}`, 'read')
  send('read-late', 'read')
  await settled()
  expect([...outcomes]).toEqual([['read-late', null]])
  for (let n = 0; n < 2001; n += 1) send(`intake-${n}`, 'intake')
  await settled()
  expect(admission.waiting).toBe(2000)
  expect(outcomes.size).toBe(1 + 2000 + 1)
  expect(outcomes.get('intake-2000')).toBeNull()
})

test('what waits is bounded by its size as well', async () => {
  const { admission, outcomes, send } = stage()
  for (let n = 0; n < 24; n += 1) send(`running-${n}`, 'intake')
  for (let n = 0; n < 100; n += 1) send(`large-${n}`, 'intake', 1024 * 1024)
  await settled()
  expect(admission.waiting).toBe(64)
  expect(outcomes.size).toBe(36)
})
