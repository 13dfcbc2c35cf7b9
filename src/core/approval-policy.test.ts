import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  judgeRequest,
  type ApprovalEffect,
  type ApprovalPolicy,
  type ApprovalRequest,
  type ApprovalRule,
  type CommandReading,
  type Remembered,
} from './approval-policy.ts'

const STRICTNESS: Readonly<Record<ApprovalEffect, number>> = { ALLOW: 0, REQUIRE: 1, DENY: 2 }
const effects = fc.constantFrom<ApprovalEffect>('ALLOW', 'REQUIRE', 'DENY')
/** Few words, so that rules and commands meet often. */
const word = fc.constantFrom('git', 'push', 'rm', '-rf', 'status', 'x')
const prefix = fc.array(word, { minLength: 1, maxLength: 3 })
const role = fc.constantFrom('ADMIN', 'USER')

const rule: fc.Arbitrary<ApprovalRule> = fc.oneof(
  fc.record({
    effect: effects,
    task: fc.constant('EXEC'),
    command: prefix,
    skill: fc.constant(null),
    role: fc.option(role),
  }),
  fc.record({
    effect: effects,
    task: fc.option(fc.constantFrom('EXEC', 'SKILL')),
    command: fc.constant(null),
    skill: fc.constant(null),
    role: fc.option(role),
  }),
  fc.record({
    effect: effects,
    task: fc.constant('SKILL'),
    command: fc.constant(null),
    skill: word,
    role: fc.option(role),
  }),
)
const policy: fc.Arbitrary<ApprovalPolicy> = fc.record({
  fallback: effects,
  rules: fc.array(rule, { maxLength: 8 }),
  ownUserMayDecide: fc.boolean(),
  plansWithStrangers: fc.boolean(),
})
const plain: fc.Arbitrary<CommandReading> = fc.record({ words: prefix, isPlain: fc.constant(true) })
const command: fc.Arbitrary<CommandReading> = fc.record({
  words: fc.array(fc.option(word), { maxLength: 4 }),
  isPlain: fc.constant(false),
})
const request: fc.Arbitrary<ApprovalRequest> = fc.oneof(
  fc.record({
    type: fc.constant('EXEC'),
    role,
    commands: fc.array(fc.oneof(plain, command), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ type: fc.constant('SKILL'), role, skill: word }),
)
const remembered: fc.Arbitrary<readonly Remembered[]> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('EXEC'), words: prefix, isWhole: fc.boolean() }),
    fc.record({ type: fc.constant('SKILL'), skill: word }),
  ),
  { maxLength: 4 },
)

function effectOf(of: ApprovalPolicy, asked: ApprovalRequest, known: readonly Remembered[] = []): ApprovalEffect {
  return judgeRequest(of, asked, known).effect
}

function policyOf(...rules: readonly Partial<ApprovalRule>[]): ApprovalPolicy {
  const any = { task: null, command: null, skill: null, role: null, effect: 'ALLOW' } as const
  return {
    fallback: 'ALLOW',
    rules: rules.map((one) => ({ ...any, ...one })),
    ownUserMayDecide: false,
    plansWithStrangers: true,
  }
}

function run(...words: (string | null)[]): ApprovalRequest {
  return { type: 'EXEC', role: 'USER', commands: [{ words, isPlain: !words.includes(null) }] }
}

const line = fc.array(fc.oneof(plain, command), { minLength: 1, maxLength: 5 })
/** A request and what it meets. */
const scene = fc.record({ of: policy, asked: request, known: remembered, more: rule, at: fc.nat() })

describe('properties', () => {
  test('a line is judged as its strictest command', () => {
    fc.assert(
      fc.property(
        fc.record({ of: policy, by: role, commands: line, known: remembered }),
        ({ of, by, commands, known }) => {
          const alone = commands.map((one) => effectOf(of, { type: 'EXEC', role: by, commands: [one] }, known))
          const whole = effectOf(of, { type: 'EXEC', role: by, commands }, known)
          expect(STRICTNESS[whole]).toBe(Math.max(...alone.map((effect) => STRICTNESS[effect])))
        },
      ),
    )
  })

  test('another DENY never makes anything run, another ALLOW never stops anything, another REQUIRE denies nothing', () => {
    const HOLDS: Readonly<Record<ApprovalEffect, (before: number, after: number) => boolean>> = {
      DENY: (before, after) => after >= before,
      ALLOW: (before, after) => after <= before,
      REQUIRE: (before, after) => after < STRICTNESS.DENY || before === STRICTNESS.DENY,
    }
    fc.assert(
      fc.property(scene, ({ of, asked, more, at }) => {
        const rules = of.rules.toSpliced(at % (of.rules.length + 1), 0, more)
        const [before, after] = [effectOf(of, asked), effectOf({ ...of, rules }, asked)]
        expect(HOLDS[more.effect](STRICTNESS[before], STRICTNESS[after])).toBe(true)
      }),
    )
  })

  test('the order of the rules does not matter', () => {
    fc.assert(
      fc.property(scene, ({ of, asked }) => {
        expect(effectOf({ ...of, rules: of.rules.toReversed() }, asked)).toBe(effectOf(of, asked))
      }),
    )
  })

  test('a denied beginning is denied whatever follows, is unknown, or is said with it', () => {
    const denial = fc.record({ of: policy, denied: prefix, rest: fc.array(word), others: line, known: remembered })
    fc.assert(
      fc.property(denial, ({ of, denied, rest, others, known }) => {
        const rules = [...of.rules, { effect: 'DENY', task: 'EXEC', command: denied, skill: null, role: null } as const]
        const spelled = [
          [...denied, ...rest],
          [`/usr/bin/${denied[0] ?? ''}`, ...denied.slice(1), ...rest],
          [null, ...rest],
          ...denied.map((_, index) => [...denied.slice(0, index), null]),
        ]
        for (const words of spelled) {
          const commands = [...others, { words, isPlain: true }]
          expect(effectOf({ ...of, rules }, { type: 'EXEC', role: 'ADMIN', commands }, known)).toBe('DENY')
        }
      }),
    )
  })

  test('what is remembered only ever turns REQUIRE into ALLOW, and covers what it was remembered for', () => {
    fc.assert(
      fc.property(scene, ({ of, asked, known }) => {
        const { effect, toRemember } = judgeRequest(of, asked, [])
        const having = effectOf(of, asked, known)
        expect(having === effect || (effect === 'REQUIRE' && having === 'ALLOW')).toBe(true)
        const covered = effect === 'REQUIRE' && toRemember !== null ? effectOf(of, asked, toRemember) : 'ALLOW'
        expect(covered).toBe('ALLOW')
      }),
    )
  })

  test('what is not plain is allowed only where everything is', () => {
    fc.assert(
      fc.property(fc.record({ of: policy, one: command, by: role, known: remembered }), ({ of, one, by, known }) => {
        const rules = of.rules.filter(({ effect, command: begins }) => effect !== 'ALLOW' || begins === null)
        const asked: ApprovalRequest = { type: 'EXEC', role: by, commands: [one] }
        expect(effectOf(of, asked, known)).toBe(effectOf({ ...of, rules }, asked))
      }),
    )
  })
})

describe('rules', () => {
  const push = { effect: 'REQUIRE', task: 'EXEC', command: ['git', 'push'] } as const

  test('the longest beginning decides between ALLOW and REQUIRE; DENY beats both', () => {
    const dry = { effect: 'ALLOW', task: 'EXEC', command: ['git', 'push', '-n'] } as const
    expect(effectOf(policyOf(push, dry), run('git', 'push', '-n'))).toBe('ALLOW')
    expect(effectOf(policyOf(push, dry), run('git', 'push'))).toBe('REQUIRE')
    expect(
      effectOf(policyOf(push, dry, { effect: 'DENY', command: ['git'], task: 'EXEC' }), run('git', 'push', '-n')),
    ).toBe('DENY')
    expect(effectOf(policyOf(push, { ...push, effect: 'ALLOW' }), run('git', 'push'))).toBe('REQUIRE')
  })

  test('an ALLOW does not hold for a program of the same name in a folder', () => {
    const strict = { ...policyOf({ effect: 'ALLOW', task: 'EXEC', command: ['git'] }), fallback: 'REQUIRE' } as const
    expect(effectOf(strict, run('git', 'log'))).toBe('ALLOW')
    expect(effectOf(strict, run('./git', 'log'))).toBe('REQUIRE')
    expect(effectOf(strict, run('git', null))).toBe('REQUIRE')
  })

  test('what was approved under a wide rule does not cover a narrower one', () => {
    const force = { ...push, command: ['git', 'push', '--force'] }
    const known: readonly Remembered[] = [{ type: 'EXEC', words: ['git', 'push'], isWhole: false }]
    expect(effectOf(policyOf(push, force), run('git', 'push', 'origin'), known)).toBe('ALLOW')
    expect(effectOf(policyOf(push, force), run('git', 'push', '--force'), known)).toBe('REQUIRE')
  })

  test('where no rule names a beginning, only the very same command is remembered', () => {
    const all = { ...policyOf(), fallback: 'REQUIRE' } as const
    const { toRemember } = judgeRequest(all, run('python3'), [])
    expect(effectOf(all, run('python3'), toRemember ?? [])).toBe('ALLOW')
    expect(effectOf(all, run('python3', '-c', 'anything'), toRemember ?? [])).toBe('REQUIRE')
  })

  test('a role, a kind of task and a skill are matched exactly', () => {
    const asked = (skill: string): ApprovalRequest => ({ type: 'SKILL', role: 'USER', skill })
    expect(effectOf(policyOf({ effect: 'DENY', role: 'ADMIN' }), run('ls'))).toBe('ALLOW')
    expect(effectOf(policyOf({ effect: 'DENY', task: 'SKILL' }), run('ls'))).toBe('ALLOW')
    expect(effectOf(policyOf({ effect: 'DENY', task: 'SKILL', skill: 'mail' }), asked('mail'))).toBe('DENY')
    expect(effectOf(policyOf({ effect: 'DENY', task: 'SKILL', skill: 'mail' }), asked('mailbox'))).toBe('ALLOW')
  })

  test('a rule for the effect of tools fits those alone, and yields to one that names the tool', () => {
    const asked = (effect: 'READ' | 'WRITE', tool = 'mail__send'): ApprovalRequest => {
      return { type: 'TOOL', role: 'USER', tool, effect, fingerprint: undefined }
    }
    const writes = policyOf({ effect: 'REQUIRE', toolEffect: 'WRITE' })
    expect([effectOf(writes, asked('WRITE')), effectOf(writes, asked('READ'))]).toEqual(['REQUIRE', 'ALLOW'])
    expect(effectOf(writes, run('ls'))).toBe('ALLOW')
    expect(effectOf(writes, { type: 'SKILL', role: 'USER', skill: 'mail' })).toBe('ALLOW')
    expect(judgeRequest(writes, asked('WRITE'), []).reason).toContain('calls of tools with effect WRITE')
    const but = policyOf(
      { effect: 'REQUIRE', toolEffect: 'WRITE' },
      { effect: 'ALLOW', tool: 'mail__send' },
      { effect: 'DENY', toolEffect: 'READ', tool: 'mail__*' },
    )
    expect(effectOf(but, asked('WRITE'))).toBe('ALLOW')
    expect(effectOf(but, asked('WRITE', 'mail__delete'))).toBe('REQUIRE')
    expect([effectOf(but, asked('READ')), effectOf(but, asked('READ', 'news__read'))]).toEqual(['DENY', 'ALLOW'])
  })

  test('a tool is remembered as it was: changed, or unknown, it is asked for again', () => {
    const all = { ...policyOf(), fallback: 'REQUIRE' } as const
    const asked = (fingerprint: string | undefined): ApprovalRequest => {
      return { type: 'TOOL', role: 'USER', tool: 'mail__send', effect: 'WRITE', fingerprint }
    }
    for (const was of ['one', undefined]) {
      const { toRemember } = judgeRequest(all, asked(was), [])
      expect(effectOf(all, asked(was), toRemember ?? [])).toBe('ALLOW')
      expect(effectOf(all, asked('two'), toRemember ?? [])).toBe('REQUIRE')
    }
    expect(effectOf(all, asked(undefined), [{ type: 'TOOL', tool: 'mail__send', fingerprint: 'one' }])).toBe('REQUIRE')
  })

  test('the reason names the rule as it stands in the file', () => {
    const { reason } = judgeRequest(policyOf({}, { ...push, role: 'USER' }), run('git', 'push'), [])
    expect(reason).toBe('commands that begin with "git push" of role USER need an approval (approval rule 2)')
  })
})
