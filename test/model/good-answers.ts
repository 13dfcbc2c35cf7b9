/** What a model that behaves answers, by role: a command and a message, a good review, a text. */
import type { StubAnswer, StubCall } from './stub-endpoint.ts'

export const GOOD_PLAN = {
  goal: 'Say hi',
  tasks: [
    { type: 'exec', detail: 'echo hi', expect: 'it prints hi' },
    { type: 'msg', detail: 'Say what the command printed.', expect: null },
  ],
}

export const GOOD_REVIEW = { status: 'ok', reason: null }

export function answerWell({ role }: StubCall): StubAnswer {
  switch (role) {
    case 'planner':
      return { content: GOOD_PLAN }
    case 'reviewer':
      return { content: GOOD_REVIEW }
    case 'messenger':
      return { pieces: ['It ', 'printed ', 'hi.'] }
    default:
      return role satisfies never
  }
}
