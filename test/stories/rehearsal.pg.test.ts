/**
 * What the rehearsal model can do without any provider, as README.md and --help explain it: the whole product, played.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addExampleSkill } from '../harness/skills.ts'
import { converse, Story, type Conversation } from '../harness/story.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
  addExampleSkill(story.path(), 'text-stats')
})
afterAll(() => story[Symbol.asyncDispose]())

let sessions = 0
/** Says one thing after another in a session of its own. */
async function say(...messages: string[]): Promise<Conversation[]> {
  const sessionId = `cli:rehearsal-${++sessions}`
  const turns: Conversation[] = []
  for (const message of messages) turns.push(await converse(story.as('ada'), sessionId, message))
  return turns
}
const answersOf = (turns: readonly Conversation[]): string[] => turns.map(({ answers }) => answers.join('\n'))

describe('the rehearsal model', () => {
  test('learns a fact, and knows it in another session', async () => {
    const [learned] = await say('learn: The project Heron builds with make.\nrun: echo hi')
    expect(learned).toMatchObject({ status: 'DONE' })
    const [known] = answersOf(await say('The project Heron\nfacts?'))
    expect(known).toContain('I know:\n\n- The project Heron builds with make.')
  })

  test('forgets what begins with "maybe"', async () => {
    const [, told] = answersOf(
      await say('learn: Maybe the project Egret builds with cmake.', 'The project Egret\nfacts?'),
    )
    expect(told).not.toContain('cmake')
  })

  test('makes a question of what ends with "?", raises it, and takes the answer', async () => {
    const [, asked, answered, after] = answersOf(
      await say(
        'learn: Which of the servers of Heron is for tests?',
        'Hello',
        'answer: heron-2 is for tests',
        'Hello again',
      ),
    )
    expect(asked).toContain('There is an open question: Which of the servers of Heron is for tests?')
    expect(answered).toContain('Thank you for the answer to: Which of the servers of Heron is for tests?')
    expect(after).not.toContain('open question')
  })

  test('calls a skill, and says why it cannot call another', async () => {
    const [called, refused] = await say('skill: text-stats {"text": "one two three"}', 'skill: ghost')
    expect(called).toMatchObject({ status: 'DONE', tasks: [{ type: 'SKILL', status: 'DONE' }, { type: 'MSG' }] })
    expect(refused).toMatchObject({ status: 'DONE', tasks: [{ type: 'MSG' }] })
    expect(refused?.answers[0]).toContain('names the skill "ghost"')
    expect(refused?.answers[0]).toContain('text-stats')
  })

  test('keeps a secret by its name, and tells its value to nobody', async () => {
    const turns = await say('secret: HERON_KEY=xylophone-4711', 'run: echo xylophone-4711')
    expect(turns[0]?.answers[0]).toContain('I keep for now, until this session has been idle for a while: HERON_KEY.')
    expect(JSON.stringify(turns)).not.toContain('4711')
    expect(turns[1]?.status).toBe('DONE')
  })
})
