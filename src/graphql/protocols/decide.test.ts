import { expect, test } from 'vitest'
import { waitingFor } from './decide.ts'
import type { AskingTurn } from './turn-documents.ts'

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()

function turnIn(id: string, finishedAt: string | null): AskingTurn {
  const message = { id: '', content: '', createdAt: '', user: null }
  return { turn: { id: `turn in ${id}`, status: '', finishedAt, lastSeq: null, message }, session: { id, lastSeq: 0 } }
}

/** An approval of minute 1, asked for in the session of a task that was delegated once more. */
function asked(how: { readonly status: string; readonly finishedAt: string | null; readonly turnEnd?: string }) {
  const { status, finishedAt, turnEnd = null } = how
  const outer = turnIn('outer', null)
  const middle = turnIn('middle', null)
  const inner = turnIn('inner', turnEnd)
  const above = { ...middle, session: { ...middle.session, delegation: { ...outer, ...RUNNING } }, status, finishedAt }
  return { ...inner, session: { ...inner.session, delegation: above } }
}

const RUNNING = { status: 'RUNNING', finishedAt: null }

test.each([
  ['that runs', { ...RUNNING }, 'outer'],
  ['that had ended before', { status: 'DONE', finishedAt: at(0) }, 'inner'],
  ['that it was part of, and that is done', { status: 'DONE', finishedAt: at(3), turnEnd: at(2) }, 'outer'],
  ['that was given up', { status: 'FAILED', finishedAt: at(2), turnEnd: at(3) }, 'outer'],
  ['beside which it goes on', { status: 'DONE', finishedAt: at(2) }, 'inner'],
  ['beside which it went on', { status: 'DONE', finishedAt: at(2), turnEnd: at(3) }, 'inner'],
] as const)('what is asked for in the session of a delegated task %s', (...[, how, turn]) => {
  expect(waitingFor(asked(how), { askedAt: at(1), sessionId: null }).session.id).toBe(turn)
})

test.each(['inner', 'middle', 'outer'])('what is decided about in the session %s is answered there', (sessionId) => {
  const found = waitingFor(asked(RUNNING), { askedAt: at(1), sessionId })
  expect([found.turn.id, found.session.id]).toEqual([`turn in ${sessionId}`, sessionId])
})
