/** What shells are given, and what bash makes of it. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { completionScript, SHELLS } from './completion.ts'
import { declareCommands } from './declare-commands.ts'

const program = declareCommands(() => {})

function completedByBash(...words: string[]): string[] {
  const typed = ['factotum', ...words].map((word) => `'${word}'`).join(' ')
  const asked = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _factotum; echo "\${COMPREPLY[@]}"`
  const script = `${completionScript('bash', program)}\n${asked}`
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ')
}

test('bash completes commands, the commands of a group, and options', () => {
  expect(completedByBash('ses')).toEqual(['session', 'sessions'])
  expect(completedByBash('session', '')).toEqual(['export', 'import', '--help'])
  expect(completedByBash('tail', 'cli:demo', '--a')).toEqual(['--after'])
  expect(completedByBash('learnings', 're')).toEqual(['review'])
})

test.each(SHELLS)('%s is given every command', (shell) => {
  const script = completionScript(shell, program)
  for (const command of program.commands) expect(script).toContain(command.name())
})
