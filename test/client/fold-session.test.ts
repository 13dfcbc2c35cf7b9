/** What a SessionStore folds is what the server shows, whatever happens between. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldEvent, foldTurn } from '../../packages/client/src/store/fold-event.ts'
import { foldPage } from '../../packages/client/src/store/fold-page.ts'
import type { TurnRead } from '../../packages/client/src/store/turns.ts'
import { expectedOf, SessionLog, shownOf, type Step } from './session-log.ts'

const NO_KEY = (): undefined => undefined
const STEPS: Step[] = ['send', 'begin', 'delta', 'complete', 'takeover', 'think', 'thought', 'output', 'end', 'edit']
const steps = fc.array(fc.constantFrom(...STEPS, 'delta' as const, 'begin' as const), { minLength: 30, maxLength: 60 })
/** How the page takes part after a step: it gets what is new, or stays behind, or is opened anew. */
const moments = fc.array(fc.constantFrom('follow', 'follow', 'away', 'away', 'reopen', 'reopen between'), {
  minLength: 30,
  maxLength: 60,
})

test('after any steps, cuts and reopened pages the page shows what the server does', () => {
  fc.assert(
    fc.property(steps, moments, (taken, how) => {
      const log = new SessionLog()
      let state = foldPage(log.page(log.view()), NO_KEY)
      let seen = 0
      const follow = (): void => {
        for (const event of log.after(seen)) {
          state = foldEvent(state, event, NO_KEY)
          seen = event.seq
        }
        seen = Math.max(seen, log.seq)
      }
      for (const [index, step] of taken.entries()) {
        const view = log.view()
        const moment = how[index] ?? 'away'
        // Of an earlier moment than the conversation: a whole text that came between is there already.
        const early = moment === 'reopen between' && step !== 'delta' && step !== 'takeover' ? log.page(view) : null
        log.take(step)
        if (moment === 'follow') follow()
        if (moment === 'reopen') {
          state = foldPage(log.page(log.view()), NO_KEY)
          seen = log.seq
        }
        if (early !== null) {
          const { conversation } = log.page(log.view())
          state = foldPage({ ...early, conversation }, NO_KEY)
          seen = view.version
        }
      }
      follow()
      expect(shownOf(state)).toEqual(expectedOf(log))
      expect(new Set(state.entries.map(({ key }) => key)).size).toBe(state.entries.length)
    }),
    { numRuns: 400 },
  )
})

test('an event of a view that is older than the one that is shown changes nothing in it', () => {
  const log = new SessionLog()
  log.take('send')
  const [older] = log.after(0)
  log.take('begin')
  const state = foldPage(log.page(log.view()), NO_KEY)
  const folded = older === undefined ? state : foldEvent(state, older, NO_KEY)
  expect(folded.session).toBe(state.session)
  expect(folded.isBusy).toBe(true)
})

test('a piece of a text changes one entry, and nothing else changes its identity', () => {
  const log = new SessionLog()
  for (const step of ['send', 'begin', 'delta', 'send'] as const) log.take(step)
  const state = foldPage(log.page(log.view()), NO_KEY)
  const seen = log.seq
  log.take('delta')
  const next = log.after(seen).reduce((before, event) => foldEvent(before, event, NO_KEY), state)
  const { entries, ...rest } = next
  const { entries: before, ...restBefore } = state
  const changed = Object.entries(rest).filter(([name, value]) => value !== restBefore[name as keyof typeof restBefore])
  expect(changed).toEqual([])
  expect(entries.map((entry, index) => entry === before[index])).toEqual([true, true, false])
})

test('a turn that is read on demand is there, however many newer ones are known, and stays while others come', () => {
  const log = new SessionLog()
  let state = foldPage(log.page(log.view()), NO_KEY)
  const talk = (turns: number): void => {
    const seen = log.seq
    for (let n = 0; n < turns; n += 1) for (const step of ['send', 'begin', 'complete', 'end'] as const) log.take(step)
    state = log.after(seen).reduce((before, event) => foldEvent(before, event, NO_KEY), state)
  }
  talk(60)
  for (const id of ['turn_2', 'turn_1']) state = foldTurn(state, { id, plans: [] as const } as unknown as TurnRead)
  talk(10)
  expect(Object.keys(state.turns)).toHaveLength(50)
  expect(state.turns).toMatchObject({ turn_1: {}, turn_2: {}, turn_60: {}, turn_70: {} })
})
