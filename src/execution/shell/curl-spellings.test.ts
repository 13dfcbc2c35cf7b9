/**
 * A denied program, spelled in every way that the shell and its tools know, and what ordinary lines must not be taken
 * for. test/sandbox/curl-in-bash.test.ts runs them in a real bash.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import { ORDINARY, SPELLINGS, UNTRIED } from '../../../test/sandbox/curl-lines.ts'
import {
  judgeRequest,
  type ApprovalEffect,
  type ApprovalPolicy,
  type ApprovalVerdict,
} from '../../core/approval-policy.ts'
import { readCommands } from './read-commands.ts'

const ANY = { task: null, command: null, skill: null, role: null } as const

function policyOf(effect: ApprovalEffect, command: string, fallback: ApprovalEffect): ApprovalPolicy {
  const rules = [{ ...ANY, effect, command: command.split(' ') }]
  return { fallback, rules, ownUserMayDecide: false, plansWithStrangers: true }
}

function judge(line: string, policy: ApprovalPolicy): ApprovalVerdict {
  return judgeRequest(policy, { type: 'EXEC', role: 'USER', commands: readCommands(line) }, [])
}

function effectOf(line: string, policy: ApprovalPolicy): ApprovalEffect {
  return judge(line, policy).effect
}

const DENIED = policyOf('DENY', 'curl', 'ALLOW')

describe('a rule that denies curl', () => {
  test('is tried with more than 105 spellings', () => {
    expect(new Set([...SPELLINGS, ...UNTRIED]).size).toBeGreaterThanOrEqual(380)
  })

  test.each([...SPELLINGS, ...UNTRIED].map((line) => [shorten(line), line]))('meets %j', (_, line) =>
    expect(effectOf(line, DENIED)).toBe('DENY'),
  )

  test.each(ORDINARY.map((line) => [line]))('is not about %j', (line) => expect(effectOf(line, DENIED)).toBe('ALLOW'))
})

describe('what cannot be read', () => {
  const opaque = [
    `python3 -c 'print(1)'`,
    'echo x | sh',
    'eval "$X"',
    '$X',
    'awk "$X" file',
    'source /dev/stdin',
    'env -S "$X"',
    'perl -e 1',
    'node -e 1',
    'echo x > f; bash f',
  ]
  test.each(opaque.map((line) => [line]))('%j needs an approval where any command does', (line) =>
    expect(effectOf(line, policyOf('REQUIRE', 'git push', 'ALLOW'))).toBe('REQUIRE'),
  )
  test.each(opaque.map((line) => [line]))('%j is what no rule allows', (line) => {
    const [program = ''] = line.split(' ')
    expect(effectOf(line, policyOf('ALLOW', program.replace('$X', 'x'), 'DENY'))).toBe('DENY')
  })

  test('is said in the reason', () => {
    expect(judge('python3 -c "print(1)"', DENIED).reason).toBe(
      'commands that begin with "curl" may not run (approval rule 1), and what "python3" is given to run cannot be read',
    )
  })

  test.each([['npm test'], ['docker build -t app .'], ['git status'], ['sudo -l'], ["awk '{ print $(NF-1) }' f"]])(
    'is not in %j, which a rule for its program allows',
    (line) => expect(effectOf(line, policyOf('ALLOW', line.split(' ')[0] ?? '', 'DENY'))).toBe('ALLOW'),
  )
})

test('options do not hide the words of a rule', () => {
  const pushes = policyOf('DENY', 'git push', 'ALLOW')
  for (const line of ['git push', 'git -C x push', 'git --no-pager -c a=b push -f', 'sudo git -C "$X" push'])
    expect(effectOf(line, pushes)).toBe('DENY')
  for (const line of ['git commit -m push', 'git log push', 'git -C x status', 'git stash push'])
    expect(effectOf(line, pushes)).toBe('ALLOW')
})

const WRAPS: readonly ((line: string) => string)[] = [
  (line) => `true; ${line}`,
  (line) => `(${line}\n)`,
  (line) => `echo "$(${line}\n)"`,
  (line) => `if true; then\n${line}\nfi`,
  (line) => `f() {\n${line}\n}; f`,
  (line) => `bash -c ${quote(line)}`,
  (line) => `nice bash -c ${quote(line)}`,
  (line) => `eval ${quote(line)}`,
  (line) => `trap ${quote(line)} EXIT`,
  (line) => `timeout 9 env A=1 bash -c ${quote(line)}`,
  (line) => `echo x | xargs -n 1 bash -c ${quote(line)}`,
  (line) => `find . -maxdepth 0 -exec bash -c ${quote(line)} \\;`,
  (line) => `script -qc ${quote(line)} /dev/null`,
  (line) => `bash <<'END_OF_SCRIPT'\n${line}\nEND_OF_SCRIPT`,
  (line) => `cat <(\n${line}\n)`,
]

test('in company, or inside another, each is met all the same', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SPELLINGS, ...UNTRIED),
      fc.array(fc.constantFrom(...WRAPS), { minLength: 1, maxLength: 3 }),
      (line, wraps) => {
        const whole = wraps.reduce((text, wrap) => wrap(text), line)
        expect(effectOf(whole, DENIED)).toBe('DENY')
      },
    ),
    { numRuns: rounds(200, 1_000) },
  )
})

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function shorten(line: string): string {
  return line.length > 200 ? `${line.slice(0, 80)}…` : line
}
