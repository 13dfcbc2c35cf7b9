import { expect, test } from 'vitest'
import { describeOperatorFailure } from './operator-failure.ts'

test.each([
  ['MODEL_UNREACHABLE', 'The language model cannot be reached at the moment; try again later (reference turn_1).'],
  [
    'SANDBOX_UNAVAILABLE',
    'Programs cannot be run here at the moment; an administrator has to see to it (reference turn_1).',
  ],
  ['TRANSFER_REFUSED', 'The server made an error while it worked on this (reference turn_1).'],
] as const)('%s is told in one sentence with the reference', (code, sentence) => {
  expect(describeOperatorFailure(code, 'turn_1')).toBe(sentence)
})
