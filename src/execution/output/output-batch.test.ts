import { expect, test } from 'vitest'
import { systemClock, type Clock } from '../../platform/clock.ts'
import type { OutputPiece } from '../host/host-messages.ts'
import { OutputBatch } from './output-batch.ts'

/** A clock whose timers fire when the test says so. */
function newManualClock(): { clock: Clock; tick: () => void } {
  const due: (() => void)[] = []
  const after = (_: number, action: () => void): (() => void) => {
    due.push(action)
    return () => {}
  }
  return { clock: { ...systemClock, after }, tick: () => due.splice(0).forEach((action) => action()) }
}

test('the first piece goes out at once, what follows soon goes out together, in order', () => {
  const sent: (readonly OutputPiece[])[] = []
  const { clock, tick } = newManualClock()
  const batch = new OutputBatch(clock, (pieces) => sent.push(pieces))
  batch.add('STDOUT', 'a')
  expect(sent).toEqual([[['STDOUT', 'a']]])
  batch.add('STDOUT', 'b')
  batch.add('STDOUT', 'c')
  batch.add('STDERR', 'd')
  batch.add('STDOUT', 'e')
  expect(sent).toHaveLength(1)
  tick()
  expect(sent[1]).toEqual([
    ['STDOUT', 'bc'],
    ['STDERR', 'd'],
    ['STDOUT', 'e'],
  ])
  tick()
  batch.add('STDOUT', 'f')
  expect(sent[2]).toEqual([['STDOUT', 'f']])
  batch.add('STDOUT', 'g')
  batch.flush()
  expect(sent[3]).toEqual([['STDOUT', 'g']])
  tick()
  expect(sent).toHaveLength(4)
})
