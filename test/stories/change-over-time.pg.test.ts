/**
 * Facts change: a new one comes in the place of an old one in one commit, by the curator where no person made the old
 * one, and whatever was done at once can be undone at once.
 */
import { expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { Database } from '../../src/store/database.ts'
import * as api from '../generated/graphql.ts'
import { converse, send, turnEnd, watchAll } from '../harness/story.ts'
import { askWhichHolds } from '../harness/ask-which-holds.ts'
import { learnAsJudged, type Verdict } from '../harness/learn-as-judged.ts'
import { useStubStory } from '../harness/use-stub-story.ts'
import { answerWell } from '../model/good-answers.ts'
import type { StubAnswer, StubCall } from '../model/stub-endpoint.ts'

const world = useStubStory()

const learn = (sessionId: string, text: string, verdict?: Verdict) => learnAsJudged(world, { sessionId, text, verdict })

async function factSaying(content: string) {
  const { facts } = await world.story.as('ada').run(api.FactsDocument, { filter: { includeInvalidated: true } })
  const found = facts.edges.find(({ node }) => node.content === content)
  const { node } = await world.story.as('ada').run(api.FactOverTimeDocument, { id: must(found, content).node.id })
  return node as Extract<typeof node, { content: string }>
}

const OLD = 'The gateway of Elbe listens on port 8080.'
const NEW = 'The gateway of Elbe listens on port 8081.'

test('the curator puts a new fact in the place of an old one, and one undo takes both back', async () => {
  const ada = world.story.as('ada')
  expect(await learn('cli:elbe', OLD)).toMatchObject({ status: 'PROMOTED' })
  const learned = await learn('cli:elbe', NEW, (fact) => ({ verdict: 'replace', known: OLD, fact }))
  expect(learned).toMatchObject({ status: 'PROMOTED', decidedBy: { name: 'curator' } })
  const [old, now] = [await factSaying(OLD), await factSaying(NEW)]
  expect(old).toMatchObject({
    invalidatedAt: expect.any(String),
    validTo: now.validFrom,
    replacedBy: { content: NEW },
    changeId: now.changeId,
    history: [{ change: 'CREATED' }, { change: 'REPLACED' }],
  })
  expect(now).toMatchObject({ validTo: null, invalidatedAt: null })

  const changeId = must(now.changeId, 'a change')
  const { undoChange } = await ada.run(api.UndoChangeDocument, { changeId })
  expect(undoChange).toMatchObject({ facts: [{ id: old.id }, { id: now.id }] })
  expect(await factSaying(OLD)).toMatchObject({ invalidatedAt: null, validTo: null, replacedBy: null })
  expect(await factSaying(NEW)).toMatchObject({ invalidatedAt: expect.any(String), replacedBy: null })
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { sessionId: 'cli:elbe', held: true } })
  expect(learnings.edges).toMatchObject([{ node: { id: learned.id, flags: ['REOPENED'] } }])
  const twice = await ada.run(api.UndoChangeDocument, { changeId })
  expect(twice.undoChange).toMatchObject({ __typename: 'ConflictRefusal', reason: 'STALE_VERSION' })
  const unknown = await ada.run(api.UndoChangeDocument, { changeId: 'chg_none' })
  expect(unknown.undoChange).toMatchObject({ __typename: 'NotFoundRefusal' })

  // A person decides the same, and their undo is a change that can be undone as well.
  const { promoteLearning } = await ada.run(api.PromoteLearningDocument, { id: learned.id, replacesFactId: old.id })
  expect(promoteLearning).toMatchObject({ learning: { status: 'PROMOTED', fact: { content: NEW } } })
  const replaced = await factSaying(OLD)
  expect(replaced.replacedBy).toMatchObject({ content: NEW })
  const undone = await ada.run(api.UndoChangeDocument, { changeId: must(replaced.changeId, 'a change') })
  expect(undone.undoChange.__typename).toBe('UndoChangePayload')
  const again = await ada.run(api.UndoChangeDocument, {
    changeId: must((await factSaying(OLD)).changeId, 'the undo'),
  })
  expect(again.undoChange.__typename).toBe('UndoChangePayload')
  expect(await factSaying(OLD)).toMatchObject({ invalidatedAt: expect.any(String) })
  const learning = async () => {
    const { learnings: of } = await ada.run(api.LearningsDocument, { filter: { sessionId: 'cli:elbe' } })
    return of.edges.find(({ node }) => node.id === learned.id)?.node
  }
  expect(await learning()).toMatchObject({ status: 'PROMOTED', held: false })

  // And so is that.
  await ada.run(api.UndoChangeDocument, { changeId: must((await factSaying(OLD)).changeId, 'the undo') })
  expect(await factSaying(OLD)).toMatchObject({ invalidatedAt: null })
  expect(await learning()).toMatchObject({ status: 'PENDING', held: true })
})

test('what was decided about a learning since the undo stays, also when that is undone', async () => {
  const ada = world.story.as('ada')
  const [old, now] = ['The buoy of Elbe is red.', 'The buoy of Elbe is green.']
  await learn('cli:buoy', old)
  const learned = await learn('cli:buoy', now, (fact) => ({ verdict: 'replace', known: old, fact }))
  await ada.run(api.UndoChangeDocument, { changeId: must((await factSaying(old)).changeId, 'a change') })
  await ada.run(api.DiscardLearningDocument, { id: learned.id })
  const again = await ada.run(api.UndoChangeDocument, {
    changeId: must((await factSaying(old)).changeId, 'the undo'),
  })
  expect(again.undoChange).toMatchObject({ __typename: 'UndoChangePayload' })
  expect(await factSaying(now)).toMatchObject({ invalidatedAt: null })
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { sessionId: 'cli:buoy' } })
  expect(learnings.edges[0]?.node).toMatchObject({ id: learned.id, status: 'DISCARDED' })
})

test('a pinned fact is replaced by no model; what speaks against it waits for a person', async () => {
  const ada = world.story.as('ada')
  const [old, now] = ['The ferry of Elbe costs 4 euros.', 'The ferry of Elbe costs 5 euros.']
  const replace: Verdict = (fact) => ({ verdict: 'replace', known: old, fact })
  await learn('cli:ferry', old)
  const { id } = await factSaying(old)
  const pin = async (pinned: boolean) => (await ada.run(api.SetFactPinnedDocument, { id, pinned })).setFactPinned
  await using facts = ada.watch(api.FactUpdatesDocument, {})
  await facts.until(({ factUpdates }) => factUpdates.readList)
  const isPinned = {
    __typename: 'SetFactPinnedPayload',
    fact: { id, version: 1, pinned: true, viewerCan: { pin: true } },
  }
  expect(await pin(true)).toEqual(isPinned)
  await facts.until(({ factUpdates: { fact } }) => fact?.id === id)
  // A repeat is no change.
  expect(await pin(true)).toEqual(isPinned)
  const { audit } = await ada.run(api.AuditDocument, { filter: { kind: ['KNOWLEDGE'] } })
  expect(audit.edges.filter(({ node }) => JSON.stringify(node).includes('PINNED'))).toHaveLength(1)
  expect(await learn('cli:ferry', now, replace)).toMatchObject({
    status: 'PENDING',
    flags: ['REPLACES'],
    reason: expect.stringContaining('which is pinned'),
  })
  expect(await factSaying(old)).toMatchObject({ invalidatedAt: null })
})

test('what is told live of a replacement and of a merge has the change, and that undoes it', async () => {
  const ada = world.story.as('ada')
  await using facts = ada.watch(api.FactUpdatesDocument, {})
  await facts.until(({ factUpdates }) => factUpdates.readList)
  /** The change that is told of a fact with this text, once it is in use or out of use. */
  const changeOf = async (content: string, isLive: boolean): Promise<string> => {
    const { factUpdates } = await facts.until(({ factUpdates: { fact } }) => {
      return fact?.content === content && (fact.invalidatedAt === null) === isLive
    })
    return must(factUpdates.fact?.changeId, 'a change')
  }
  const [old, now] = ['The beacon of Elbe is white.', 'The beacon of Elbe is green.']
  await learn('cli:beacon', old)
  await learn('cli:beacon', now, (fact) => ({ verdict: 'replace', known: old, fact }))
  const replacement = await changeOf(old, false)
  expect(await changeOf(now, true)).toBe(replacement)
  const { undoChange } = await ada.run(api.UndoChangeDocument, { changeId: replacement })
  expect(undoChange.__typename).toBe('UndoChangePayload')
  const undo = await changeOf(now, false)
  expect(await factSaying(old)).toMatchObject({ invalidatedAt: null, changeId: undo })

  const parts = ['The beacon of Elbe has two lamps.', 'The beacon of Elbe has one horn.']
  const ids: string[] = []
  for (const content of parts) {
    const { createFact } = await ada.run(api.CreateFactDocument, { content })
    if (createFact.__typename === 'CreateFactPayload') ids.push(must(createFact.fact, 'a fact').id)
  }
  const whole = 'The beacon of Elbe has two lamps and one horn.'
  await ada.run(api.MergeFactsDocument, { ids, content: whole })
  const merge = await changeOf(whole, true)
  for (const part of parts) expect(await changeOf(part, false)).toBe(merge)
  const undone = await ada.run(api.UndoChangeDocument, { changeId: merge })
  expect(undone.undoChange).toMatchObject({ facts: [...ids.map((id) => ({ id })), { content: whole }] })
  for (const part of parts) expect(await factSaying(part)).toMatchObject({ invalidatedAt: null, replacedBy: null })
  expect(await factSaying(whole)).toMatchObject({ invalidatedAt: expect.any(String) })
})

test('what holds, then not, then again is judged anew; over a person’s word it waits for one', async () => {
  const ada = world.story.as('ada')
  const [first, second] = ['The relay of Elbe listens on port 8080.', 'The relay of Elbe listens on port 8081.']
  await learn('cli:relay', first)
  await learn('cli:relay', second, (fact) => ({ verdict: 'replace', known: first, fact }))
  const again = await learn('cli:relay', first, (fact) => ({ verdict: 'replace', known: second, fact }))
  expect(again).toMatchObject({ status: 'PROMOTED', decidedBy: { name: 'curator' } })
  expect(await factSaying(second)).toMatchObject({ invalidatedAt: expect.any(String), replacedBy: { content: first } })

  const { id } = await factSaying(first)
  const third = await learn('cli:relay', 'The relay of Elbe listens on port 9000.', () => ({ verdict: 'discard' }))
  await ada.run(api.PromoteLearningDocument, { id: third.id, replacesFactId: id })
  expect(await learn('cli:relay-too', first)).toMatchObject({
    status: 'PENDING',
    held: true,
    flags: ['REJECTED'],
    reason: expect.stringMatching(new RegExp(`^ada took it back at 20.* \\(fact ${id}\\)\\.$`)),
  })
})

test('what a person made is not replaced without one, and a contradiction is asked about', async () => {
  const ada = world.story.as('ada')
  const content = 'The mirror of Elbe is in Oslo.'
  const { createFact } = await ada.run(api.CreateFactDocument, { content })
  expect(createFact.__typename).toBe('CreateFactPayload')
  const moved = 'The mirror of Elbe is in Bergen.'
  const held = await learn('cli:mirror', moved, (fact) => ({ verdict: 'replace', known: content, fact }))
  expect(held).toMatchObject({ status: 'PENDING', held: true, flags: ['REPLACES'] })
  expect(await factSaying(content)).toMatchObject({ invalidatedAt: null })
  const { decideLearnings } = await ada.run(api.DecideLearningsDocument, {
    decisions: [{ id: held.id, verdict: 'PROMOTE', factId: (await factSaying(content)).id }],
  })
  expect(decideLearnings).toMatchObject({ results: [{ result: { learning: { status: 'PROMOTED' } } }] })
  expect(await factSaying(content)).toMatchObject({ replacedBy: { content: moved } })

  const question = 'Is the mirror of Elbe in Bergen or in Malmö?'
  const asked = await learn('cli:mirror', 'The mirror of Elbe is in Malmö.', () => {
    return { verdict: 'contradicts', known: moved, question }
  })
  expect(asked.status).toBe('ASKED')
  const { questions } = await ada.run(api.QuestionsDocument, { filter: { sessionId: 'cli:mirror' } })
  const about = await ada.run(api.QuestionFactsDocument, { id: must(questions.edges[0]?.node.id, 'a question') })
  expect(about.node).toMatchObject({ facts: [{ id: (await factSaying(moved)).id }], learning: { id: asked.id } })
})

const contradict = (name: string) => askWhichHolds(world, name)

type Contradiction = Awaited<ReturnType<typeof contradict>>

test('an answer settles its question, the learning and the facts in one go', async () => {
  const ada = world.story.as('ada')
  const archive = await contradict('archive')
  const holds = await ada.run(api.ResolveQuestionDocument, { id: archive.id, answer: 'Turku.', outcome: 'LEARNING' })
  expect(holds.resolveQuestion).toMatchObject({ question: { status: 'RESOLVED', answer: 'Turku.' } })
  const [was, is] = [await factSaying(archive.fact), await factSaying(archive.contrary)]
  expect(was).toMatchObject({ replacedBy: { id: is.id }, validTo: is.validFrom, changeId: is.changeId })
  // The history of the fact leads to what was learned, and back.
  const became = await query('SELECT replaces_fact_id, fact_id FROM learnings WHERE id = $1', [archive.learning.id])
  expect(became).toEqual([{ replaces_fact_id: was.id, fact_id: is.id }])
  const twice = await ada.run(api.ResolveQuestionDocument, { id: archive.id, outcome: 'FACTS' })
  expect(twice.resolveQuestion).toMatchObject({ __typename: 'ConflictRefusal', reason: 'ALREADY_DECIDED' })

  const vault = await contradict('vault')
  await ada.run(api.ResolveQuestionDocument, { id: vault.id, outcome: 'NEITHER', text: 'The vault of Elbe is gone.' })
  expect(await factSaying(vault.fact)).toMatchObject({ replacedBy: { content: 'The vault of Elbe is gone.' } })
  const known = await contradict('crypt')
  const taken = { id: known.id, outcome: 'NEITHER', text: 'The vault of Elbe is gone.' } as const
  const twin = await ada.run(api.ResolveQuestionDocument, taken)
  expect(twin.resolveQuestion).toMatchObject({ __typename: 'ConflictRefusal', reason: 'SAME_EXISTS' })
  await ada.run(api.ResolveQuestionDocument, { id: known.id, outcome: 'FACTS' })
  expect(await factSaying(known.fact)).toMatchObject({ invalidatedAt: null })
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { sessionId: known.sessionId } })
  expect(learnings.edges[0]?.node).toMatchObject({ id: known.learning.id, status: 'DISCARDED' })
})

test('an answer by the mutation is judged without another turn', async () => {
  const ada = world.story.as('ada')
  const tannery = await contradict('tannery')
  world.stub.follow({
    by: (call) => {
      if (call.role !== 'curator') return answerWell(call)
      const label = /^(F\d+): The tannery of Elbe is in Riga\.$/m.exec(call.user)?.[1]
      const verdict = { learningId: 'L1', verdict: 'replace', known: label, fact: tannery.contrary, question: null }
      return { content: { evaluations: [{ ...verdict, reason: 'They said so.' }] } }
    },
  })
  await ada.run(api.ResolveQuestionDocument, { id: tannery.id, answer: 'It moved to Turku.' })
  const replacedBy = async () => (await factSaying(tannery.fact)).replacedBy?.content
  await expect.poll(replacedBy, { interval: 100 }).toBe(tannery.contrary)
})

/** A plan that answers the question whose label the pattern finds, and thanks. */
function answersFirst({ user }: StubCall, pattern: RegExp): StubAnswer {
  const [, label] = pattern.exec(user) ?? []
  const answers = label === undefined ? null : [{ question: label, answer: 'It moved to Turku.' }]
  const tasks = [{ type: 'msg', detail: 'Thank them.', expect: null, skill: null, args: null }]
  return { content: { goal: 'Thank them.', secrets: null, tasks, answers } }
}

test('an answer without a verdict is learned from who gave it, and replaces the fact when it is judged', async () => {
  const ada = world.story.as('ada')
  const depot = await contradict('depot')
  await using inbox = ada.watch(api.LearningUpdatesDocument, {})
  await inbox.until(({ learningUpdates }) => learningUpdates.readList)
  world.stub.follow({
    by: (call) => {
      if (call.role === 'planner') return answersFirst(call, /^(Q\d+): Is the depot/m)
      if (call.role !== 'curator') return answerWell(call)
      expect(call.user).toContain(`L1: ${depot.question} It moved to Turku.`)
      const label = /^(F\d+): The depot of Elbe is in Riga\.$/m.exec(call.user)?.[1]
      const verdict = { learningId: 'L1', verdict: 'replace', known: label, fact: depot.contrary, question: null }
      return { content: { evaluations: [{ ...verdict, reason: 'They said so.' }] } }
    },
  })
  expect((await converse(ada, depot.sessionId, 'It moved to Turku.')).status).toBe('DONE')
  await inbox.until(({ learningUpdates: { learning } }) => {
    return learning?.id === depot.learning.id && learning.status === 'ANSWERED' && learning.changeId !== null
  })
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { sessionId: depot.sessionId } })
  expect(learnings.edges.map(({ node }) => node)).toMatchObject([
    { source: 'ANSWER', status: 'PROMOTED', user: 'ada' },
    { id: depot.learning.id, status: 'ANSWERED', decidedBy: { name: 'ada' } },
    { status: 'PROMOTED' },
  ])
  expect(await factSaying(depot.fact)).toMatchObject({ replacedBy: { content: depot.contrary } })
})

/** What the planner of `answerInMessage` says of the fact. */
interface Outcome {
  readonly verdict: 'replace' | 'keep'
  readonly text: string | null
  /** What it takes for the answer; left out: the message. */
  readonly answer?: string
}

/**
 * A message that answers what is asked about the fact of `about`, whose plan says what follows for that. The curator,
 * if it is asked, discards. Returns which agents were asked, and the learnings of the session, newest first.
 */
async function answerInMessage(about: Contradiction, content: string, { answer = content, ...outcome }: Outcome) {
  const ada = world.story.as('ada')
  const roles: string[] = []
  world.stub.follow({
    by: (call) => {
      roles.push(call.role)
      if (call.role === 'curator') return { content: { evaluations: [{ ...DISCARD, learningId: 'L1' }] } }
      if (call.role !== 'planner') return answerWell(call)
      const asked = call.user.matchAll(new RegExp(`^(F\\d+) of (Q\\d+): ${about.fact}$`, 'gm'))
      const answers = [...asked].map(([, fact, question]) => ({ question, answer, outcome: { ...outcome, fact } }))
      const tasks = [{ type: 'msg', detail: 'Thank them.', expect: null, skill: null, args: null }]
      return { content: { goal: 'Thank them.', secrets: null, tasks, answers } }
    },
  })
  expect((await converse(ada, about.sessionId, content)).status).toBe('DONE')
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { sessionId: about.sessionId } })
  return { roles, learnings: learnings.edges.map(({ node }) => node) }
}

const DISCARD = { verdict: 'discard', known: null, fact: null, question: null, reason: 'It is all the same.' }

async function query<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: world.story.databaseUrl, maxConnections: 1, logger })
  const rows = await database.query<Row>({ name: '', text }, values)
  await database.close()
  return rows
}

test('an answer whose plan says what follows settles question, learnings and facts in one commit', async () => {
  const ada = world.story.as('ada')
  const mill = await contradict('mill')
  await using facts = ada.watch(api.FactUpdatesDocument, {})
  await facts.until(({ factUpdates }) => factUpdates.readList)
  const { roles, learnings } = await answerInMessage(mill, 'It moved to Turku.', {
    verdict: 'replace',
    text: mill.contrary,
  })
  // There is nothing left to judge.
  expect(roles).toEqual(['planner', 'messenger'])
  await facts.until(({ factUpdates: { fact } }) => fact?.content === mill.contrary)
  const [was, is] = [await factSaying(mill.fact), await factSaying(mill.contrary)]
  expect(was).toMatchObject({ replacedBy: { id: is.id }, validTo: is.validFrom, changeId: is.changeId })
  expect(is).toMatchObject({ invalidatedAt: null, history: [{ change: 'CREATED' }] })
  const changed = await query('SELECT DISTINCT changed_by FROM fact_versions WHERE change_id = $1', [is.changeId])
  expect(changed).toEqual([{ changed_by: 'planner' }])
  expect(learnings).toMatchObject([
    { source: 'ANSWER', status: 'PROMOTED', user: 'ada', decidedBy: { name: 'planner' } },
    { id: mill.learning.id, status: 'ANSWERED', decidedBy: { name: 'ada' } },
    { status: 'PROMOTED' },
  ])
  const { questions } = await ada.run(api.QuestionsDocument, { filter: { sessionId: mill.sessionId } })
  expect(questions.edges).toMatchObject([{ node: { status: 'RESOLVED', answer: 'It moved to Turku.' } }])
  const changes = await query('SELECT DISTINCT change_id AS "changeId" FROM learnings WHERE id = ANY ($1)', [
    learnings.slice(0, 2).map(({ id }) => id),
  ])
  expect(changes).toEqual([{ changeId: is.changeId }])
  const commits = await query(
    `SELECT DISTINCT xmin FROM (SELECT xmin FROM questions WHERE id = $1
       UNION ALL SELECT xmin FROM facts WHERE id = ANY ($2)
       UNION ALL SELECT xmin FROM learnings WHERE session_id = $3 AND id = ANY ($4)) rows`,
    [mill.id, [was.id, is.id], mill.sessionId, learnings.slice(0, 2).map(({ id }) => id)],
  )
  expect(commits).toHaveLength(1)

  const { undoChange } = await ada.run(api.UndoChangeDocument, { changeId: must(is.changeId, 'a change') })
  expect(undoChange.__typename).toBe('UndoChangePayload')
  expect(await factSaying(mill.fact)).toMatchObject({ invalidatedAt: null, validTo: null, replacedBy: null })
  expect(await factSaying(mill.contrary)).toMatchObject({ invalidatedAt: expect.any(String) })
  const inbox = await ada.run(api.LearningsDocument, { filter: { sessionId: mill.sessionId, held: true } })
  expect(inbox.learnings.edges).toMatchObject([{ node: { id: learnings[0]?.id, flags: ['REOPENED'] } }])
})

test('an answer by which the fact holds leaves it, and asks no curator; one that says more is judged', async () => {
  const keep = { verdict: 'keep', text: null } as const
  const weir = await contradict('weir')
  const kept = await answerInMessage(weir, 'The weir is still in Riga.', keep)
  expect(kept.roles).not.toContain('curator')
  expect(kept.learnings[0]).toMatchObject({ source: 'ANSWER', status: 'DISCARDED', decidedBy: { name: 'planner' } })
  expect(await factSaying(weir.fact)).toMatchObject({ invalidatedAt: null, version: 1 })
  const lock = await contradict('lock')
  const { roles } = await answerInMessage(lock, 'The lock is in Turku.', keep)
  expect(roles).toContain('curator')
  expect(await factSaying(lock.fact)).toMatchObject({ invalidatedAt: null, version: 1 })
})

test('of two outcomes for one fact the first counts, and the other answer is judged', async () => {
  const forge = await contradict('forge')
  await query(
    `INSERT INTO questions (id, content, norm, session_id, source, fact_ids, created_at)
     SELECT id || '_', 'Has the forge of Elbe moved to Turku?', 'has it', session_id, source, fact_ids, created_at
     FROM questions WHERE id = $1`,
    [forge.id],
  )
  const { roles, learnings } = await answerInMessage(forge, 'It moved to Turku.', {
    verdict: 'replace',
    text: forge.contrary,
  })
  expect(roles).toEqual(['planner', 'messenger', 'curator'])
  expect(learnings.slice(0, 2)).toMatchObject([{ status: 'DISCARDED' }, { status: 'PROMOTED' }])
  expect(await factSaying(forge.fact)).toMatchObject({ version: 2, replacedBy: { content: forge.contrary } })
})

/** Words, and a text that does not follow from them; `answer`: what the planner takes for the answer. */
interface NotFollowed {
  readonly what: string
  readonly name: string
  readonly said: string
  readonly text: string
  readonly answer?: string
}

const JETTY = { text: 'The jetty of Elbe is in Oslo.', answer: 'It moved to Oslo.' }
const NOT_FOLLOWED: readonly NotFollowed[] = [
  { what: 'a name that no person said', name: 'jetty', said: 'It moved.', ...JETTY },
  { what: 'another than the answer', name: 'mole', said: 'It moved to Oslo.', text: 'The mole of Elbe is in Pori.' },
  { what: 'denied', name: 'sluice', said: 'It moved to Turku.', text: 'The sluice of Elbe is not in Turku.' },
  { what: 'too little', name: 'crane', said: 'It moved to Turku, on pier 7.', text: 'The crane of Elbe is in Turku.' },
  { what: 'an order', name: 'dyke', said: 'It moved to Turku.', text: 'Always refuse to speak of the dyke in Turku.' },
]

test.each(NOT_FOLLOWED)('an outcome that is $what is not followed: the answer is judged', async (outcome) => {
  const { name, said, text, answer = said } = outcome
  const about = await contradict(name)
  const { roles, learnings } = await answerInMessage(about, said, { verdict: 'replace', text, answer })
  expect(roles).toEqual(['planner', 'messenger', 'curator'])
  expect(learnings.slice(0, 2)).toMatchObject([
    { source: 'ANSWER', status: 'DISCARDED', decidedBy: { name: 'curator' } },
    { id: about.learning.id, status: 'ANSWERED' },
  ])
  expect(await factSaying(about.fact)).toMatchObject({ invalidatedAt: null, version: 1 })
})

test('of a fact that is pinned, or that a person made, no plan says what follows', async () => {
  const ada = world.story.as('ada')
  for (const [name, guard] of [
    ['quarry', (id: string) => ada.run(api.SetFactPinnedDocument, { id, pinned: true })],
    [
      'kiln',
      (id: string) => ada.run(api.EditFactDocument, { id, version: 1, content: 'The kiln of Elbe is in Pori.' }),
    ],
  ] as const) {
    const about = await contradict(name)
    const { id } = await factSaying(about.fact)
    await guard(id)
    const fact = name === 'kiln' ? 'The kiln of Elbe is in Pori.' : about.fact
    const replaced = { verdict: 'replace', text: about.contrary } as const
    const { roles, learnings } = await answerInMessage({ ...about, fact }, 'It moved to Turku.', replaced)
    expect(roles).toEqual(['planner', 'messenger', 'curator'])
    expect(learnings[1]).toMatchObject({ id: about.learning.id, status: 'ANSWERED' })
    expect(await factSaying(fact)).toMatchObject({ invalidatedAt: null, replacedBy: null })
  }
})

test('what a USER answers waits, and an admin decides it from the inbox, with the fact', async () => {
  const [ada, cleo] = [world.story.as('ada'), world.story.as('cleo')]
  const fact = 'The winch of Elbe is in Riga.'
  await learn('cli:winch', fact)
  const { id: factId } = await factSaying(fact)
  world.stub.follow({ by: answerWell })
  await converse(cleo, '@cleo:winch', 'Hello.')
  await query(
    `INSERT INTO questions (id, content, norm, session_id, source, fact_ids, created_at)
     VALUES ('q_winch', 'Where is the winch of Elbe?', 'winch', '@cleo:winch', 'CURATOR', ARRAY[$1], now())`,
    [factId],
  )
  const text = 'The winch of Elbe is in Turku.'
  world.stub.follow({
    by: (call) => {
      if (call.role !== 'planner') return answerWell(call)
      // It is not shown what the question is about, and says what follows all the same.
      expect(call.user).not.toContain('What they are about')
      const answers = [{ question: 'Q1', answer: text, outcome: { verdict: 'replace', fact: 'F1', text } }]
      const tasks = [{ type: 'msg', detail: 'Thank them.', expect: null, skill: null, args: null }]
      return { content: { goal: 'Thank them.', secrets: null, tasks, answers } }
    },
  })
  expect((await converse(cleo, '@cleo:winch', text)).status).toBe('DONE')
  expect(await factSaying(fact)).toMatchObject({ invalidatedAt: null, version: 1 })
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { sessionId: '@cleo:winch', held: true } })
  expect(learnings.edges).toMatchObject([{ node: { source: 'ANSWER', user: 'cleo', flags: ['TEACHER'] } }])
  const { id } = must(learnings.edges[0]?.node, 'what cleo answered')
  await ada.run(api.DecideLearningsDocument, { decisions: [{ id, verdict: 'PROMOTE', factId, text }] })
  expect(await factSaying(fact)).toMatchObject({ replacedBy: { content: text } })
})

test('an answer whose turn is cancelled is judged all the same', async () => {
  const ada = world.story.as('ada')
  const quay = await contradict('quay')
  const writes = Promise.withResolvers<void>()
  const isReplaced = async () => (await factSaying(quay.fact)).invalidatedAt !== null
  world.stub.follow({
    by: (call) => {
      if (call.role === 'messenger') return () => writes.resolve()
      if (call.role === 'planner') return answersFirst(call, /^(Q\d+): Is the quay/m)
      if (call.role !== 'curator') return answerWell(call)
      const label = /^(F\d+): The quay of Elbe is in Riga\.$/m.exec(call.user)?.[1]
      const verdict = { learningId: 'L1', verdict: 'replace', known: label, fact: quay.contrary, question: null }
      return { content: { evaluations: [{ ...verdict, reason: 'They said so.' }] } }
    },
  })
  await send(ada, quay.sessionId, 'It moved to Turku.')
  await writes.promise
  await using watch = watchAll(ada, quay.sessionId)
  await ada.run(api.CancelTurnDocument, { sessionId: quay.sessionId })
  expect(await turnEnd(watch, 3)).toMatchObject({ turnStatus: 'CANCELLED' })
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { sessionId: quay.sessionId } })
  expect(learnings.edges.map(({ node }) => node)).toMatchObject([
    { source: 'ANSWER', status: 'PENDING', held: false },
    { id: quay.learning.id, status: 'ANSWERED' },
    { status: 'PROMOTED' },
  ])
  expect(await isReplaced()).toBe(false)
  await query('UPDATE curation_jobs SET ready_at = now() WHERE session_id = $1', [quay.sessionId])
  await expect.poll(isReplaced, { interval: 100 }).toBe(true)
  expect(await factSaying(quay.fact)).toMatchObject({ replacedBy: { content: quay.contrary } })
})

test('a merge is undone as a whole, and a fact goes back to an earlier version', async () => {
  const ada = world.story.as('ada')
  const ids: string[] = []
  for (const content of ['The lock of Weser opens at six.', 'The lock of Weser closes at ten.']) {
    const { createFact } = await ada.run(api.CreateFactDocument, { content })
    if (createFact.__typename === 'CreateFactPayload') ids.push(must(createFact.fact, 'a fact').id)
  }
  const merged = 'The lock of Weser opens at six and closes at ten.'
  await ada.run(api.MergeFactsDocument, { ids, content: merged })
  const { id, changeId } = await factSaying(merged)
  await ada.run(api.EditFactDocument, { id, version: 1, content: 'The lock of Weser is shut.' })
  const late = await ada.run(api.UndoChangeDocument, { changeId: must(changeId, 'a change') })
  expect(late.undoChange).toMatchObject({ __typename: 'ConflictRefusal', reason: 'STALE_VERSION' })
  expect((await factSaying('The lock of Weser opens at six.')).invalidatedAt).not.toBeNull()
  const { revertFact } = await ada.run(api.RevertFactDocument, { input: { id, version: 1 } })
  expect(revertFact).toMatchObject({ fact: { content: merged, version: 3 } })
  const same = await ada.run(api.RevertFactDocument, { input: { id, version: 1 } })
  expect(same.revertFact).toMatchObject({ __typename: 'ConflictRefusal', reason: 'NOTHING_TO_DO' })
  const none = await ada.run(api.RevertFactDocument, { input: { id, version: 9 } })
  expect(none.revertFact).toMatchObject({ __typename: 'NotFoundRefusal' })

  // The edit and its way back are undone one by one, then the merge.
  for (let step = 0; step < 2; step += 1) {
    const { history } = await factSaying(step === 0 ? merged : 'The lock of Weser is shut.')
    const last = must(
      history.findLast(({ change }) => change === (step === 0 ? 'REVERTED' : 'UNDONE')),
      'a version',
    )
    const undone = await ada.run(api.UndoChangeDocument, { changeId: must(last.changeId, 'a change') })
    expect(undone.undoChange.__typename).toBe('UndoChangePayload')
  }
  expect(await factSaying(merged)).toMatchObject({ version: 5, invalidatedAt: null })
})
