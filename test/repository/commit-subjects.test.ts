/** What a list of commits shows is read by many: a scope, and what was done, in a line of a terminal. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** The last commit whose subject was longer. */
const SINCE = 'f9b6d202a4e741da5c5ba3d9c06ca5ccbd96fc12'
const LONGEST = 72
/** One scope or several: `store: …`, `docs/security, tools: …`. */
const WITH_SCOPE = /^[\w./-]+(?:, [\w./-]+)*: \S/

/** Null without git, in a copy without a repository, and in a clone that does not reach back so far. */
function subjectsSince(commit: string): readonly string[] | null {
  const args = ['log', '--no-merges', '--format=%s', `${commit}..HEAD`]
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' })
  return status === 0 ? stdout.split('\n').filter((subject) => subject !== '') : null
}

function isWellFormed(subject: string): boolean {
  return subject.length <= LONGEST && WITH_SCOPE.test(subject)
}

const subjects = subjectsSince(SINCE)
const skipReason = subjects === null ? ` [SKIPPED: no git history back to ${SINCE.slice(0, 8)}]` : ''

test.skipIf(subjects === null)(`a commit's subject has a scope and at most ${LONGEST} characters${skipReason}`, () => {
  expect(subjects?.filter((subject) => !isWellFormed(subject))).toEqual([])
})

test.each([
  ['store: a lock is taken first', true],
  ['docs/security, tools: what a permit is worth', true],
  [`store: ${'x'.repeat(LONGEST - 'store: '.length)}`, true],
  [`store: ${'x'.repeat(LONGEST + 1 - 'store: '.length)}`, false],
  ['A lock is taken first', false],
  ['store:', false],
])('%s: %s', (subject, expected) => {
  expect(isWellFormed(subject)).toBe(expected)
})
