import { expect, test } from 'vitest'
import { whatRuns } from './what-runs.ts'

const COMMAND = { type: 'EXEC', detail: 'git push', skill: null, tool: null, args: null }
const SKILL = { type: 'SKILL', detail: 'Count the words.', skill: 'text-stats', tool: null, args: { path: 'a.txt' } }
const TOOL = { type: 'TOOL', detail: 'Write to Ann.', skill: null, tool: 'gmail__send', args: { to: 'ann' } }
const TEXT = { type: 'MSG', detail: 'Say what came of it.', skill: null, tool: null, args: null }

const plan = { tasks: [COMMAND, SKILL, TOOL, TEXT] }

test.each([
  ['TASK', COMMAND, ['git push']],
  ['TASK', SKILL, ['text-stats {"path":"a.txt"}']],
  ['TASK', TOOL, ['gmail__send {"to":"ann"}']],
  ['PLAN', COMMAND, ['git push', 'text-stats {"path":"a.txt"}', 'gmail__send {"to":"ann"}']],
] as const)('of a %s: %o', (kind, call, lines) => {
  expect(whatRuns({ kind, task: { ...call, plan } })).toEqual(lines)
})

test('what hides in a command or a call, or runs backwards, is seen', () => {
  const hidden = { ...COMMAND, detail: 'rm\u00A0\u202Etxt\u200B.\u001B[2K' }
  const named = { ...TOOL, args: { to: '\u2066x' } }
  expect(whatRuns({ kind: 'PLAN', task: { ...COMMAND, plan: { tasks: [hidden, named] } } })).toEqual([
    'rm\uFFFD\uFFFDtxt\uFFFD.\uFFFD[2K',
    'gmail__send {"to":"\uFFFDx"}',
  ])
})
