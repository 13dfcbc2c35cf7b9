/**
 * What a page pays for what is streamed to it: the client's fold of 1 000 pieces of a text into the state of a session
 * with a hundred turns, without drawing.
 */
import { foldEvent } from '../packages/client/src/store/fold-event.ts'
import { foldPage } from '../packages/client/src/store/fold-page.ts'
import { SessionLog } from '../test/client/session-log.ts'
import { median, show } from './figures.ts'
import type { Row } from './table.ts'

const TURNS = 100
const PIECES = 1000
const LIMIT_MS = 5
const NO_KEY = (): undefined => undefined

export function measureFold({ rounds }: { readonly rounds: number }): Row[] {
  const log = new SessionLog()
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const step of ['send', 'begin', 'complete', 'end'] as const) log.take(step)
  log.take('send')
  log.take('begin')
  const opened = foldPage(log.page(log.view()), NO_KEY)
  const { seq } = log
  for (let piece = 0; piece < PIECES; piece += 1) log.take('delta')
  const events = log.after(seq)
  const times = Array.from({ length: rounds }, () => {
    const began = performance.now()
    const folded = events.reduce((state, event) => foldEvent(state, event, NO_KEY), opened)
    const took = performance.now() - began
    // What was computed must be used, or nothing need be.
    if (folded === opened) throw new Error('nothing was folded')
    return took
  })
  const took = median(times)
  const note = `${PIECES} pieces of a text, ${TURNS} turns on the page`
  return [
    {
      what: 'folding events on a page',
      value: `${show(took)} ms`,
      floor: `${LIMIT_MS} ms`,
      ratio: show(took / LIMIT_MS),
      note,
    },
  ]
}
