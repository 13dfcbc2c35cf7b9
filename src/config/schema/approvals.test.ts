import { describe, expect, test } from 'vitest'
import { parseConfig } from '../parse-config.ts'

const IDENTITIES = `[users.ada]\nrole = "admin"\n[tokens.ada]\nkind = "user"\nuser = "ada"\nsha256 = "${'0'.repeat(64)}"\n`

function parse(toml: string): ReturnType<typeof parseConfig> {
  return parseConfig(`${IDENTITIES}${toml}`, { production: false })
}

function problemsOf(toml: string): string[] {
  const parsed = parse(toml)
  return parsed.kind === 'valid'
    ? []
    : parsed.problems.map(({ path, text, line }) => `${line} ${path.join('.')}: ${text}`)
}

test('without a word, everything is allowed, but plans among strangers', () => {
  const parsed = parse('')
  expect(parsed).toMatchObject({
    config: {
      approvals: { fallback: 'ALLOW', rules: [], ownUserMayDecide: false, plansWithStrangers: true },
      settings: { approvalTimeoutMs: 3_600_000 },
    },
  })
})

test('rules as they are judged', () => {
  const parsed = parse(`
[approvals]
default = "require"
own_user_may_decide = true
[[approvals.rules]]
effect = "deny"
command = " git   push "
role = "user"
[[approvals.rules]]
effect = "allow"
skill = "search"
[[approvals.rules]]
effect = "require"
task = "exec"`)
  const any = { task: null, command: null, skill: null, role: null }
  expect(parsed.kind === 'valid' ? parsed.config.approvals : parsed).toEqual({
    fallback: 'REQUIRE',
    ownUserMayDecide: true,
    plansWithStrangers: true,
    rules: [
      { ...any, effect: 'DENY', task: 'EXEC', command: ['git', 'push'], role: 'USER' },
      { ...any, effect: 'ALLOW', task: 'SKILL', skill: 'search' },
      { ...any, effect: 'REQUIRE', task: 'EXEC' },
    ],
  })
})

describe('what is wrong is named where it stands', () => {
  test.each([
    ['default = "yes"', 'approvals.default: must be "allow", "require" (an approval) or "deny"; it is "yes"'],
    ['[[approvals.rules]]\ncommand = "rm"', 'approvals.rules.0.effect: is missing; it must be "allow"'],
    [
      '[[approvals.rules]]\neffect = "deny"\ncommand = "rm $X"',
      'approvals.rules.0.command: must be the first words of a command',
    ],
    [
      '[[approvals.rules]]\neffect = "deny"\ncommand = ""',
      'approvals.rules.0.command: must be the first words of a command',
    ],
    [
      '[[approvals.rules]]\neffect = "deny"\ncomand = "rm"',
      'approvals.rules.0.comand: is not a known key (did you mean "command"?)',
    ],
    [
      '[[approvals.rules]]\neffect = "deny"\n[[approvals.rules]]\neffect = "no"',
      '11 approvals.rules.1.effect: must be "allow"',
    ],
    [
      '[[approvals.rules]]\neffect = "deny"\ncommand = "rm"\nskill = "x"',
      'approvals.rules.0: has both command and skill',
    ],
    [
      '[[approvals.rules]]\neffect = "deny"\ncommand = "rm"\ntask = "skill"',
      'approvals.rules.0: has a command but task = "skill"',
    ],
  ])('%j', (toml, problem) => {
    expect(problemsOf(`[approvals]\n${toml}`).join('\n')).toContain(problem)
  })
})
