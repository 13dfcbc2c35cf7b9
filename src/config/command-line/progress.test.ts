import { expect, test } from 'vitest'
import { manualClock } from '../../../test/harness/manual-clock.ts'
import { Progress } from './progress.ts'

test('says nothing of what is quick, and no more than a line a second', () => {
  const lines: string[] = []
  let nowMs = 0
  const clock = { ...manualClock(), monotonicMs: () => nowMs }
  const progress = new Progress({ clock, print: (line) => lines.push(line) })
  for (let row = 0; row < 30; row += 1) {
    progress.say(`${row} rows`)
    nowMs += 100
  }
  expect(lines).toEqual(['… 10 rows', '… 20 rows'])
})

test('what takes long is named, and again while it goes on', async () => {
  const lines: string[] = []
  const clock = manualClock()
  const progress = new Progress({ clock, print: (line) => lines.push(line) })
  expect(await progress.during('quick', () => Promise.resolve(1))).toBe(1)
  clock.fire()
  expect(lines).toEqual([])
  await progress.during('slow', async () => {
    clock.fire()
    clock.fire()
  })
  clock.fire()
  expect(lines).toEqual(['… slow', '… slow'])
})
