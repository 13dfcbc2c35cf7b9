import { expect, test } from 'vitest'
import { TurnPace } from './turn-pace.ts'

/** A pace on a clock that the test moves. */
function stage() {
  const load = { isBusy: false }
  let nowMs = 10_000
  let timers: { readonly atMs: number; readonly action: () => void }[] = []
  let calls = 0
  const pace = new TurnPace({
    load,
    clock: {
      monotonicMs: () => nowMs,
      after: (ms, action) => {
        timers.push({ atMs: nowMs + ms, action })
        return () => {}
      },
    },
    onNext: () => (calls += 1),
  })
  const pass = (ms: number): number => {
    nowMs += ms
    const due = timers.filter(({ atMs }) => atMs <= nowMs)
    timers = timers.filter(({ atMs }) => atMs > nowMs)
    for (const { action } of due) action()
    return calls
  }
  return { pace, load, pass }
}

test('every free slot may be taken while the loop is not busy', () => {
  const { pace } = stage()
  pace.messageComes()
  expect([pace.allowed(32, 0), pace.allowed(2, 30), pace.allowed(0, 32), pace.allowed(-1, 33)]).toEqual([32, 2, 0, -1])
})

test('and while it is busy, if no message comes', () => {
  const { pace, load, pass } = stage()
  load.isBusy = true
  expect(pace.allowed(32, 0)).toBe(32)
  pace.messageComes()
  pass(250)
  expect(pace.allowed(26, 6)).toBe(26)
})

test('with both, six run whatever the load, and further ones begin one by one', () => {
  const { pace, load, pass } = stage()
  load.isBusy = true
  pace.messageComes()
  expect([pace.allowed(32, 0), pace.allowed(27, 5), pace.allowed(1, 2)]).toEqual([6, 1, 1])
  pace.begun()
  expect([pace.allowed(26, 6), pace.allowed(26, 6), pass(49)]).toEqual([0, 0, 0])
  expect(pass(1), 'asked twice, called once').toBe(1)
  expect(pace.allowed(26, 6)).toBe(1)
  pace.begun()
  expect(pace.allowed(25, 7)).toBe(0)
})

test('a moment without load does not let all of them begin; a quarter of a second does', () => {
  const { pace, load, pass } = stage()
  load.isBusy = true
  pace.messageComes()
  pace.begun()
  expect(pace.allowed(26, 6)).toBe(0)
  load.isBusy = false
  expect(pace.allowed(26, 6)).toBe(0)
  pass(50)
  expect(pace.allowed(26, 6)).toBe(1)
  pace.begun()
  expect(pace.allowed(25, 7)).toBe(0)
  pass(200)
  expect(pace.allowed(25, 7)).toBe(25)
})
