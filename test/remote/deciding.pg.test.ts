/** Commands that ask a person, one thing after the other, and do what they choose. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CreateFactDocument, FactsDocument, LearningsDocument } from '../generated/graphql.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { holdAsReplacing } from '../harness/hold-as-replacing.ts'
import { converse, send, Story, turnEnd, watchAll } from '../harness/story.ts'
import { Answering, factotum, KEYS } from './run-command.ts'

/** How far down each choice stands, and what is typed then. */
const CHOICES: Readonly<Record<string, { readonly down: number; readonly words?: string }>> = {
  'The shop opens at nine.': { down: 0 },
  'The kettle is green.': { down: 1, words: ' It is new.' },
  'The lift is slow.': { down: 2 },
  'The roof leaks.': { down: 3 },
}

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: approvalRules('effect = "require"\ncommand = "touch"') } })
})
afterAll(() => story[Symbol.asyncDispose]())

test('learnings review makes facts of some, also in other words, discards one and leaves one', async () => {
  // It shows whole lists, of facts and of learnings.
  await using own = await Story.begin()
  for (const learned of Object.keys(CHOICES))
    await converse(own.as('ben'), '@ben:notes', `run: echo noted\nlearn: ${learned}`)
  const review = new Answering(own, 'learnings review')
  for (const number of [1, 2, 3, 4]) {
    const learned = await review.see(new RegExp(`${number} of 4: (.*\\.)`))
    await review.see(/What becomes of it\?[^]*End the review/)
    const { down = 0, words } = CHOICES[learned] ?? {}
    review.press(...Array.from({ length: down }, () => KEYS.down), KEYS.enter)
    if (words === undefined) continue
    await review.see(/The fact:/)
    review.press(words, KEYS.enter)
  }
  await review.see(/That was all\./)
  expect(await review.ended).toBe(0)

  const ada = own.as('ada')
  const { facts } = await ada.run(FactsDocument, {})
  expect(facts.edges.map(({ node }) => node.content).toSorted()).toEqual([
    'The kettle is green. It is new.',
    'The shop opens at nine.',
  ])
  const { learnings } = await ada.run(LearningsDocument, {})
  const statuses = Object.fromEntries(learnings.edges.map(({ node }) => [node.content, node.status]))
  expect(statuses).toMatchObject({ 'The lift is slow.': 'DISCARDED', 'The roof leaks.': 'PENDING' })
})

test('learnings review replaces the fact in whose place a learning waits to come', async () => {
  const [old, now] = ['The kettle is on shelf 1.', 'It moved up to the second one.']
  const { createFact } = await story.as('ada').run(CreateFactDocument, { content: old })
  const factId = createFact.__typename === 'CreateFactPayload' ? (createFact.fact?.id ?? '') : ''
  await converse(story.as('ben'), '@ben:kettle', `run: echo noted\nlearn: ${now}`)
  await holdAsReplacing(story.databaseUrl, { content: now, factId })
  const review = new Answering(story, 'learnings review')
  await review.see(/would replace: The kettle is on shelf 1\./)
  await review.see(/What becomes of it\?[^]*End the review/)
  review.press(KEYS.enter)
  await review.see(/That was all\./)
  expect(await review.ended).toBe(0)
  const { facts } = await story.as('ada').run(FactsDocument, { filter: { includeInvalidated: true } })
  const inUse = facts.edges.filter(({ node }) => node.invalidatedAt === null)
  expect(inUse.map(({ node }) => node.content)).toEqual([now])
})

test('approve asks about each command that waits, and does as it is told', async () => {
  const ada = story.as('ada')
  await using first = watchAll(ada, 'cli:first')
  await using second = watchAll(ada, 'cli:second')
  for (const [id, watch] of [
    ['cli:first', first],
    ['cli:second', second],
  ] as const) {
    await send(ada, id, `run: touch ${id.slice(4)}`)
    await untilAsked(watch)
  }
  const approving = new Answering(story, 'approve')
  for (const _ of [1, 2]) {
    const session = await approving.see(/ in (cli:\w+), until /)
    await approving.see(/because: .*"touch"[^]*May it run\?[^]*Later/)
    approving.press(...(session === 'cli:first' ? [] : [KEYS.down, KEYS.down]), KEYS.enter)
    await approving.see(session === 'cli:first' ? /Approved\./ : /Denied\./)
  }
  expect(await approving.ended).toBe(0)
  await Promise.all([turnEnd(first), turnEnd(second)])
  const statusesIn = (watch: typeof first): string[] =>
    watch.received.flatMap(({ sessionEvents: event }) =>
      event.__typename === 'ApprovalEvent' ? [event.approval.approvalStatus] : [],
    )
  expect([statusesIn(first).at(-1), statusesIn(second).at(-1)]).toEqual(['APPROVED', 'DENIED'])
})

test('ask and chat ask about what a delegated task needs', async () => {
  const asking = new Answering(story, 'ask --session cli:asked /delegate run: touch below && echo touched')
  await asking.see(/It waits for an approval: (touch below) && echo touched\s+because: [^]*May it run\?/)
  asking.press(KEYS.enter)
  await asking.see(/(touched)/)
  expect(await asking.ended).toBe(0)

  const piped = await factotum(story, 'ask --session cli:piped /delegate run: touch below')
  expect(piped).toMatchObject({ exitCode: 3, said: expect.stringMatching(/Decide with: factotum approve appr_/) })

  const chatting = new Answering(story, 'chat cli:piped')
  await chatting.see(/May this run\? (touch below)/)
  chatting.press('n Not today.', KEYS.enter)
  await using watch = watchAll(story.as('ada'), 'cli:piped')
  await turnEnd(watch)
  chatting.press('/quit', KEYS.enter)
  expect(await chatting.ended).toBe(0)
})

test('a decision that came too late is said, ends nothing, and makes the exit code 1', async () => {
  const ada = story.as('ada')
  const ids = ['cli:late', 'cli:later']
  for (const id of ids) {
    await send(ada, id, 'run: touch x')
    await using watch = watchAll(ada, id)
    await untilAsked(watch)
  }
  const approving = new Answering(story, 'approve')
  const late = await approving.see(/(\w+) in cli:\w+, until /)
  await approving.see(/May it run\?[^]*Later/)
  await decide(ada, { id: late, approve: false })
  approving.press(KEYS.enter)
  await approving.see(/factotum: .*[^]* in cli:\w+, until [^]*May it run\?[^]*Later/)
  approving.press(KEYS.enter)
  await approving.see(/Approved\./)
  expect(await approving.ended).toBe(1)

  for (const learned of ['The roof leaks.', 'The lift is slow.'])
    await converse(story.as('ben'), '@ben:notes', `run: echo noted\nlearn: ${learned}`)
  const review = new Answering(story, 'learnings review')
  await review.see(/1 of 2: [^]*End the review/)
  const { learnings } = await ada.run(LearningsDocument, { filter: { status: ['PENDING'] } })
  for (const { node } of learnings.edges)
    await ada.run('mutation ($id: ID!) { discardLearning(input: { id: $id }) { __typename } }', { id: node.id })
  review.press(KEYS.enter)
  await review.see(/2 of 2: [^]*End the review/)
  review.press(KEYS.down, KEYS.down, KEYS.down, KEYS.enter)
  await review.see(/That was all\./)
  expect(await review.ended).toBe(1)
})
