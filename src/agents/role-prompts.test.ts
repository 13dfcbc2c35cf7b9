import { hash } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { validatePlan } from '../core/plan/plan-rules.ts'
import type { SkillSummary } from '../core/plan/skill.ts'
import { planFormat } from './planner/output.ts'
import { createRolePrompts } from './role-prompts.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'factotum-roles-'))
  await mkdir(join(home, 'roles'))
})
afterEach(() => rm(home, { recursive: true }))

const override = (text: string): Promise<void> => writeFile(join(home, 'roles', 'reviewer.md'), text)

const QUESTIONS = [{ id: 'question_one', content: 'Which package manager do the servers use?' }]
const SEARCH: SkillSummary = {
  name: 'search',
  version: null,
  summary: 'Searches the web.',
  secrets: ['SEARCH_KEY'],
  args: [
    { name: 'query', type: 'string', required: true, default: null, description: '' },
    { name: 'count', type: 'int', required: false, default: 10, description: '' },
  ],
}

describe('system prompts', () => {
  test.each([
    ['planner', '# You are the planner'],
    ['reviewer', '# You are the reviewer'],
    ['messenger', '# You are the messenger'],
    ['assistant', '# You are the assistant'],
    ['curator', '# You are the curator'],
    ['summarizer', '# You are the summarizer'],
    ['consolidator', '# You are the summarizer, and consolidate facts'],
    ['paraphraser', '# You are the paraphraser'],
    ['introspector', '# You are the introspector'],
  ] as const)('the %s has a built-in one, and the ground rules', async (role, heading) => {
    const { text: prompt } = await createRolePrompts(home).systemPrompt(role)
    expect(prompt.startsWith(heading)).toBe(true)
    expect(prompt).toContain('# Rules that always hold')
  })

  test('work without a home', async () => {
    const { text } = await createRolePrompts(join(home, 'nowhere')).systemPrompt('planner')
    expect(text).toContain('# You are the planner')
  })

  test('the planner has two worked examples that obey its own rules', async () => {
    const { text: prompt } = await createRolePrompts(home).systemPrompt('planner')
    const examples = [...prompt.matchAll(/```json\n([\s\S]*?)\n```/g)].map((match) =>
      planFormat({ questions: QUESTIONS, questionFacts: [], facts: [] }).parse(match[1] ?? ''),
    )
    expect(examples).toHaveLength(2)
    const plans = examples.flatMap((example) => (example.kind === 'usable' ? [example.value] : []))
    expect(plans.map((plan) => validatePlan(plan, { maxTasks: 20, tools: [], skills: [SEARCH] }))).toEqual([[], []])
    expect(plans.flatMap((plan) => plan.answers)).toEqual([
      { questionId: 'question_one', answer: 'The servers use apt as their package manager.', outcome: null },
    ])
    for (const { goal, tasks, secrets, answers } of plans)
      for (const { value } of secrets) expect(JSON.stringify([goal, tasks, answers])).not.toContain(value)
  })

  test('an override replaces the role, never the ground rules', async () => {
    await override('Judge kindly.\n')
    const { text: prompt } = await createRolePrompts(home).systemPrompt('reviewer')
    expect(prompt.startsWith('Judge kindly.\n\n# Rules that always hold')).toBe(true)
    expect(prompt).not.toContain('You are the reviewer')
  })

  test('one is shared, under the hash of its text, as long as nothing of a session is in it', async () => {
    const prompts = createRolePrompts(home)
    const builtIn = await prompts.systemPrompt('reviewer')
    expect(builtIn.sharedSha256).toBe(hash('sha256', builtIn.text))
    await override('Judge kindly.')
    const own = await prompts.systemPrompt('reviewer')
    expect(own.sharedSha256).toBe(hash('sha256', own.text))
    expect(own.sharedSha256).not.toBe(builtIn.sharedSha256)
    expect(await prompts.systemPrompt('reviewer', 'Answer in verse.')).toEqual({
      text: expect.stringMatching(
        /^Judge kindly\.\n\n# For this session\n\nAnswer in verse\.\n\n# Rules that always hold/,
      ),
      sharedSha256: null,
    })
  })

  test('an override is read again when it changes, and given up when it goes', async () => {
    const prompts = createRolePrompts(home)
    expect((await prompts.systemPrompt('reviewer')).text).toContain('You are the reviewer')
    await override('Judge kindly.')
    expect((await prompts.systemPrompt('reviewer')).text).toContain('Judge kindly.')
    await override('Judge strictly!')
    expect((await prompts.systemPrompt('reviewer')).text).toContain('Judge strictly!')
    await rm(join(home, 'roles', 'reviewer.md'))
    expect((await prompts.systemPrompt('reviewer')).text).toContain('You are the reviewer')
  })

  test.each([
    ['is empty', () => override(' \n')],
    ['is larger than 256 KiB', () => override('x'.repeat(300_000))],
    ['is not a file', () => mkdir(join(home, 'roles', 'reviewer.md'))],
  ])('an override that %s fails, by its name', async (problem, make) => {
    await make()
    await expect(createRolePrompts(home).systemPrompt('reviewer')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `The prompt ${join(home, 'roles', 'reviewer.md')} ${problem}. Mend it, or delete it to use the built-in prompt.`,
    })
  })

  test('an override that cannot be read fails, by its name', async () => {
    await symlink('reviewer.md', join(home, 'roles', 'reviewer.md')) // leads to itself
    await expect(createRolePrompts(home).systemPrompt('reviewer')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/reviewer\.md cannot be read: ELOOP/),
    })
  })
})
