import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import type { FoundSecret, ProposedPlan, ProposedTask } from './plan.ts'
import { MAX_DETAIL_BYTES, MAX_EXPECT_BYTES, validatePlan } from './plan-rules.ts'
import type { SkillSummary } from './skill.ts'

const exec: ProposedTask = { type: 'EXEC', detail: 'echo hi', skill: null, args: null, expect: 'it prints hi' }
const msg: ProposedTask = { type: 'MSG', detail: 'Say hi.', skill: null, args: null, expect: null }
const plan = (...tasks: ProposedTask[]): ProposedPlan => ({
  goal: 'Say hi',
  tasks,
  secrets: [],
  answers: [],
  factsUsed: [],
})
const limits = { maxTasks: 3, skills: [], tools: [] }
const search: SkillSummary = {
  name: 'search',
  version: null,
  summary: 'Searches the web.',
  args: [{ name: 'query', type: 'string', required: true, default: null, description: 'What to look for.' }],
  secrets: [],
}

describe('validatePlan', () => {
  test.each([
    ['a single message', plan(msg)],
    ['a command and a message', plan(exec, msg)],
    ['a message between commands', plan(exec, msg, msg)],
    ['as many tasks as allowed', plan(exec, exec, msg)],
    ['a detail as long as allowed', plan({ ...exec, detail: 'x'.repeat(MAX_DETAIL_BYTES) }, msg)],
  ])('accepts %s', (_, good) => {
    expect(validatePlan(good, limits)).toEqual([])
  })

  test.each<[string, ProposedPlan, string[]]>([
    [
      'no tasks',
      plan(),
      ['The plan has no tasks. It needs at least one; a plan that only answers has a single msg task.'],
    ],
    [
      'too many tasks',
      plan(exec, exec, exec, msg),
      ['The plan has 4 tasks; at most 3 are allowed. Join commands that belong together, or do less.'],
    ],
    [
      'a blank command',
      plan({ ...exec, detail: ' \n' }, msg),
      ['Task 1 (exec) has a blank detail. Its detail is the shell command to run.'],
    ],
    [
      'a blank message',
      plan({ ...msg, detail: '' }),
      ['Task 1 (msg) has a blank detail. Its detail says what to tell the user.'],
    ],
    [
      'a command without expect',
      plan(exec, { ...exec, expect: null }, msg),
      ['Task 2 (exec) has no expect. Say in a sentence what must hold for its result to be good.'],
    ],
    [
      'a command with a blank expect',
      plan({ ...exec, expect: '  ' }, msg),
      ['Task 1 (exec) has no expect. Say in a sentence what must hold for its result to be good.'],
    ],
    [
      'a message with expect',
      plan({ ...msg, expect: 'the user is happy' }),
      ['Task 1 (msg) has an expect. Messages are not reviewed: its expect must be null.'],
    ],
    [
      'an empty expect on a message, which is not null either',
      plan({ ...msg, expect: '' }),
      ['Task 1 (msg) has an expect. Messages are not reviewed: its expect must be null.'],
    ],
    [
      'a command at the end',
      plan(msg, exec),
      ['Task 2, the last one, is exec. The last task must be msg: it is how the user gets the answer.'],
    ],
    [
      'a command that is too long, counted in bytes',
      plan({ ...exec, detail: 'ä'.repeat(MAX_DETAIL_BYTES / 2 + 1) }, msg),
      [
        'The detail of task 1 (exec) is 32770 bytes long; at most 32768 are allowed. Split the command, or write a long file in several tasks.',
      ],
    ],
    [
      'an expect that is too long',
      plan({ ...exec, expect: 'x'.repeat(MAX_EXPECT_BYTES + 1) }, msg),
      ['The expect of task 1 (exec) is 4097 bytes long; at most 4096 are allowed. One sentence is enough.'],
    ],
    [
      'a goal that is too long',
      { ...plan(msg), goal: 'x'.repeat(5000) },
      ['The goal is 5000 bytes long; at most 4096 are allowed. One sentence is enough.'],
    ],
  ])('refuses %s', (_, bad, problems) => {
    expect(validatePlan(bad, limits)).toEqual(problems)
  })

  test('names every broken rule at once', () => {
    expect(validatePlan(plan({ ...exec, detail: '', expect: '' }), limits)).toHaveLength(3)
  })

  test('lists a bounded number of problems for a thousand wrong tasks', () => {
    const problems = validatePlan(plan(...Array.from({ length: 1000 }, () => ({ ...exec, detail: '' }))), limits)
    expect(problems).toHaveLength(21)
    expect(problems.at(-1)).toBe('982 more problems of the same kinds are not listed.')
  })
})

describe('skill tasks', () => {
  const skill: ProposedTask = {
    ...exec,
    type: 'SKILL',
    detail: 'Look it up',
    skill: 'search',
    args: '{"query":"cats"}',
  }
  const right = { ...limits, skills: [search, { ...search, name: 'clock', args: [] }] }

  test.each([
    ['with its arguments', skill],
    ['without arguments, where there are none', { ...skill, skill: 'clock', args: null }],
    ['with an empty object, where there are none', { ...skill, skill: 'clock', args: '{}' }],
  ])('are accepted %s', (_, task) => {
    expect(validatePlan(plan(task, msg), right)).toEqual([])
  })

  test.each<[string, Partial<ProposedTask>, string]>([
    [
      'without expect',
      { expect: null },
      'Task 1 (skill) has no expect. Say in a sentence what must hold for its result to be good.',
    ],
    [
      'with a blank detail',
      { detail: ' ' },
      'Task 1 (skill) has a blank detail. Its detail says what the skill is called for.',
    ],
    [
      'without a name',
      { skill: null },
      'Task 1 (skill) names no skill. These may be used: search, clock. If none of them does it, use exec tasks, or say in a single msg task what is missing.',
    ],
    [
      'of an unknown name',
      { skill: 'maps' },
      'Task 1 (skill) names the skill "maps", which is not among those that may be used here. These may be used: search, clock. If none of them does it, use exec tasks, or say in a single msg task what is missing.',
    ],
    ['without an argument', { args: null }, 'Task 1 (skill): the argument "query" is missing; it must be a string.'],
    [
      'with another one',
      { args: '{"query":"x","page":2}' },
      'Task 1 (skill): there is no argument "page" (search takes: query).',
    ],
    [
      'with one of the wrong type',
      { args: '{"query":2}' },
      'Task 1 (skill): the argument "query" must be a string, not a number.',
    ],
  ])('are refused %s', (_, change, problem) => {
    expect(validatePlan(plan({ ...skill, ...change }, msg), right)).toEqual([problem])
  })

  test('are refused with a way out when there are no skills', () => {
    expect(validatePlan(plan(skill, msg), limits)).toEqual([
      'Task 1 (skill) names the skill "search", which is not among those that may be used here. There are none: use exec tasks, or say in a single msg task what is missing.',
    ])
  })

  test('are the only ones with skill and args', () => {
    expect(validatePlan(plan({ ...exec, skill: 'search' }, { ...msg, skill: 'search', args: '{}' }), right)).toEqual([
      'Task 1 (exec) has skill, which only skill and tool tasks have. Here they must be null.',
      'Task 2 (msg) has skill and args, which only skill and tool tasks have. Here they must be null.',
    ])
  })

  test('cannot be the last one', () => {
    expect(validatePlan(plan(skill), right)).toEqual([
      'Task 1, the last one, is skill. The last task must be msg: it is how the user gets the answer.',
    ])
  })
})

describe('secrets', () => {
  const withSecrets = (...secrets: FoundSecret[]): ProposedPlan => ({ ...plan(msg), secrets })

  test('are accepted with the key of a variable and a value worth redacting', () => {
    const good = withSecrets({ key: '_a', value: '12345678' }, { key: 'GITHUB_TOKEN', value: 'x'.repeat(4096) })
    expect(validatePlan(good, limits)).toEqual([])
  })

  const badKey =
    'The key of secret 1 is no name. It must have 1 to 64 letters, digits and _, and not begin with a digit, such as GITHUB_TOKEN.'
  test.each<[string, FoundSecret[], string]>([
    ['an empty key', [{ key: '', value: 'hunter2hunter2' }], badKey],
    ['a key with odd characters', [{ key: 'A=B\nC', value: 'hunter2hunter2' }], badKey],
    ['a key that is too long', [{ key: 'A'.repeat(65), value: 'hunter2hunter2' }], badKey],
    ['a key that is the secret', [{ key: 'hunter2-hunter2', value: 'PASSWORD' }], badKey],
    [
      'a short value',
      [{ key: 'A', value: 'hunter2' }],
      'The value of secret 1 has 7 characters; 8 to 4096 can be kept. Leave it out of the secrets.',
    ],
    [
      'a long value',
      [{ key: 'A', value: 'x'.repeat(4097) }],
      'The value of secret 1 has 4097 characters; 8 to 4096 can be kept. Leave it out of the secrets.',
    ],
    [
      'a key twice',
      [
        { key: 'A', value: 'hunter2hunter2' },
        { key: 'A', value: 'hunter3hunter3' },
      ],
      'Secret 2 has the same key as an earlier one. Give each another key.',
    ],
    [
      'too many',
      Array.from({ length: 21 }, (_, index) => ({ key: `A${index}`, value: 'hunter2hunter2' })),
      'The plan has 21 secrets; at most 20 are kept. Leave out those that are not needed.',
    ],
  ])('are refused for %s, without a word of key or value', (_, secrets, problem) => {
    expect(validatePlan(withSecrets(...secrets), limits)).toEqual([problem])
    expect(problem).not.toContain('hunter')
  })
})

describe('a planner that follows the advice, and nothing else,', () => {
  const anyTask: fc.Arbitrary<ProposedTask> = fc.record({
    type: fc.constantFrom('EXEC' as const, 'MSG' as const, 'SKILL' as const),
    detail: fc.constantFrom('', ' ', 'echo hi', 'x'.repeat(MAX_DETAIL_BYTES + 1)),
    skill: fc.constantFrom(null, '', 'search', 'maps'),
    args: fc.constantFrom(
      null,
      '',
      '{}',
      '[]',
      'oops',
      '{"query":"x"}',
      '{"query":1,"more":2}',
      `"${'x'.repeat(70_000)}"`,
    ),
    expect: fc.constantFrom(null, '', 'good', 'x'.repeat(MAX_EXPECT_BYTES + 1)),
  })
  const anySecret: fc.Arbitrary<FoundSecret> = fc.record({
    key: fc.constantFrom('', 'A', 'B', '9'),
    value: fc.constantFrom('', 'hunter2hunter2'),
  })
  const anyPlan: fc.Arbitrary<ProposedPlan> = fc.record({
    goal: fc.constantFrom('', 'Say hi', 'x'.repeat(5000)),
    tasks: fc.array(anyTask, { maxLength: 6 }),
    secrets: fc.array(anySecret, { maxLength: 25 }),
    answers: fc.constant([]),
    factsUsed: fc.constant([]),
  })

  test.each([
    ['with a skill', [search]],
    ['without skills', []],
  ])('has a good plan soon, %s', (_, skills) => {
    const right = { ...limits, skills }
    fc.assert(
      fc.property(anyPlan, (first) => {
        let mended = first
        for (let round = 1; round <= 4; round++)
          for (const problem of validatePlan(mended, right)) mended = follow(mended, problem)
        expect(validatePlan(mended, right)).toEqual([])
      }),
      { numRuns: rounds(400, 2000) },
    )
  })

  test('is never asked for anything but what follow() knows', () => {
    expect(() => follow(plan(msg), 'Task 1 must be better.')).toThrow('no advice')
  })
})

/** The change that a sentence asks for, literally. */
function follow(bad: ProposedPlan, problem: string): ProposedPlan {
  const number = Number(/[Tt]ask (\d+)/.exec(problem)?.[1] ?? 0)
  const change = (part: Partial<ProposedTask>): ProposedPlan => ({
    ...bad,
    tasks: bad.tasks.map((task, index) => (index === number - 1 ? { ...task, ...part } : task)),
  })
  const advice: [RegExp, () => ProposedPlan][] = [
    [/^The goal is .* One sentence is enough\.$/, () => ({ ...bad, goal: 'Say hi' })],
    [/^The plan has no tasks\. .* a plan that only answers has a single msg task\.$/, () => ({ ...bad, tasks: [msg] })],
    [/^The plan has \d+ tasks; at most 3/, () => ({ ...bad, tasks: bad.tasks.slice(-3) })],
    [/ has a blank detail\. Its detail (is|says) /, () => change({ detail: 'true' })],
    [/^The detail of .* bytes long/, () => change({ detail: 'true' })],
    [/ has no expect\. Say in a sentence /, () => change({ expect: 'it succeeds' })],
    [/^The expect of .* One sentence is enough\.$/, () => change({ expect: 'it succeeds' })],
    [/ its expect must be null\.$/, () => change({ expect: null })],
    [/ Here they must be null\.$/, () => change({ skill: null, args: null })],
    [/ These may be used: search\. /, () => change({ skill: 'search' })],
    [/ There are none: use exec tasks, /, () => change({ type: 'EXEC' })],
    [/: its args are .* so pass the name of a file instead\.$/, () => change({ args: '{"query":"name of a file"}' })],
    [/: its args are not valid JSON; they must be a JSON object/, () => change({ args: '{}' })],
    [/: its args are not a JSON object; they must be one, such as \{\}/, () => change({ args: '{}' })],
    [/: there is no argument .* \(search takes: query\)\.$/, () => change({ args: '{"query":"x"}' })],
    [/: the argument "query" (is missing; it )?must be a string/, () => change({ args: '{"query":"x"}' })],
    [/^Task \d+, the last one, .* The last task must be msg/, () => ({ ...bad, tasks: [...bad.tasks.slice(-2), msg] })],
    [/^The plan has \d+ secrets; at most 20/, () => ({ ...bad, secrets: bad.secrets.slice(0, 20) })],
    [/^(The (key|value) of )?[Ss]ecret \d+ |^\d+ more problems /, () => ({ ...bad, secrets: [] })],
    [/^The value of secret /, () => ({ ...bad, secrets: [] })],
  ]
  const [, apply] = advice.find(([sentence]) => sentence.test(problem)) ?? []
  if (apply === undefined) throw new Error(`no advice: ${problem}`)
  return apply()
}
