/**
 * The rows of "what is wrong now" that are about deciding, counted through the API of a server with stand-in models,
 * for one seed. Figures from before are those of commit eecbe87, as they were reported; nothing of it can be run here.
 */
import { must } from '../../src/platform/must.ts'
import type { Database } from '../../src/store/database.ts'
import * as api from '../../test/generated/graphql.ts'
import { SeededRandom } from '../../test/harness/seeded-random.ts'
import { projectName, VALUES } from '../../test/knowledge/corpus/vocabulary.ts'
import type { JunkRow } from './junk.ts'
import { measureConsolidation } from './consolidation.ts'
import { promoteAll, Taught } from './taught.ts'

const COUNT = 10

export async function measureDecisions(
  databaseUrl: string,
  { database, seed }: { readonly database: Database; readonly seed: number },
): Promise<JunkRow[]> {
  await using taught = await Taught.begin(databaseUrl, database)
  const random = new SeededRandom(seed)
  const consolidation = await measureConsolidation(taught, seed)
  return [
    ...consolidation,
    ...(await discarded(taught, portsOf(random))),
    ...(await contradicted(taught, portsOf(random))),
    await reached(taught, portsOf(random)),
    ...(await inbox(taught, portsOf(random))),
    ...(await unusable(taught, portsOf(random).slice(0, 5))),
    await atCheckpoint(taught, portsOf(random).slice(0, 5)),
    await unused(taught),
  ]
}

interface Port {
  readonly text: string
  /** What contradicts it. */
  readonly other: string
}

/** Facts of as many projects. */
function portsOf(random: SeededRandom): Port[] {
  const projects = new Set<string>()
  while (projects.size < COUNT) projects.add(projectName(random))
  return [...projects].map((project) => {
    const say = (port: string): string => `The API of ${project} listens on port ${port}.`
    const port = VALUES.port(random)
    return { text: say(port), other: say(`${Number(port) + 1}`) }
  })
}

const textsOf = (ports: readonly Port[]): string[] => ports.map(({ text }) => text)
const share = (count: number, of: { readonly length: number }): string => `${count} of ${of.length}`

async function discarded(taught: Taught, ports: readonly Port[]): Promise<JunkRow[]> {
  const texts = textsOf(ports)
  const ada = taught.story.as('ada')
  taught.curator = () => ({ verdict: 'discard' })
  await taught.teach('ada', 'cli:discarded', texts)
  taught.curator = promoteAll
  await taught.teach('ada', 'cli:again', texts)
  const refused = await taught.learnings('cli:again', { status: ['REFUSED'] })
  for (const { id } of refused.slice(0, refused.length / 2)) {
    await ada.run(api.ReopenLearningDocument, { id })
    await ada.run(api.PromoteLearningDocument, { id })
  }
  const promoted = await taught.countFacts(texts)
  for (const { id } of await taught.learnings('cli:discarded')) await ada.run(api.PromoteLearningDocument, { id })
  return [
    {
      row: 3,
      what: 'what a model discarded, learned again: rows of it',
      before: '0',
      now: share(refused.length, texts),
    },
    {
      row: 3,
      what: 'of half of these, facts after an admin reopened and promoted them',
      before: '0',
      now: share(promoted, refused.slice(0, refused.length / 2)),
    },
    {
      row: 3,
      what: 'all of them, once an admin promoted what was discarded first',
      before: '0',
      now: share(await taught.countFacts(texts), texts),
    },
  ]
}

async function contradicted(taught: Taught, ports: readonly Port[]): Promise<JunkRow[]> {
  const ada = taught.story.as('ada')
  const [known, others] = [textsOf(ports), ports.map(({ other }) => other)]
  await taught.teach('ada', 'cli:contradicted', known)
  taught.curator = (text) => ({
    verdict: 'contradicts',
    known: must(known[others.indexOf(text)], 'its fact'),
    question: `Is it so that ${text}?`,
  })
  await taught.teach('ada', 'cli:contradicted', others)
  const { questions } = await ada.run(api.QuestionsDocument, {
    first: 100,
    filter: { sessionId: 'cli:contradicted', status: ['OPEN'] },
  })
  const ids = questions.edges.map(({ node }) => node.id)
  const about = await Promise.all(ids.map(async (id) => (await ada.run(api.QuestionFactsDocument, { id })).node))
  const leading = about.filter((node) => node != null && 'facts' in node && node.facts.length > 0 && node.learning)
  // One is learned again while it is asked about, the others are answered.
  await taught.teach('ada', 'cli:asked', others.slice(0, 1))
  const [again] = await taught.learnings('cli:asked')
  for (const id of ids) await ada.run(api.ResolveQuestionDocument, { id, answer: 'Yes.', outcome: 'LEARNING' })
  const settled = (await taught.countFacts(others)) - (await taught.countFacts(known))
  taught.curator = promoteAll
  return [
    { row: 4, what: 'questions that lead to their learning and fact', before: '0', now: share(leading.length, others) },
    { row: 4, what: 'facts that an answer replaced', before: '0', now: share(settled, others) },
    {
      row: 4,
      what: 'a text that is asked about, learned again: refused as a repetition',
      before: 'yes',
      now: again?.status === 'REFUSED' ? 'yes' : 'no',
    },
  ]
}

/** An admin lets each be a fact, so that the scope alone stands between them and an admin's prompt. */
async function reached(taught: Taught, ports: readonly Port[]): Promise<JunkRow> {
  const texts = textsOf(ports)
  await taught.teach('ben', '@ben:reach', texts)
  for (const { id } of await taught.learnings('@ben:reach'))
    await taught.story.as('ada').run(api.PromoteLearningDocument, { id })
  await taught.say('ada', 'cli:reach', texts.join(' '))
  const prompt = taught.promptOf('planner')
  const shown = texts.filter((text) => prompt.split('\n').some((line) => /^F\d+: /.test(line) && line.includes(text)))
  return {
    row: 5,
    what: "facts of a USER's session in an admin's prompt that asks for them",
    before: 'all',
    now: share(shown.length, texts),
  }
}

async function inbox(taught: Taught, ports: readonly Port[]): Promise<JunkRow[]> {
  const ada = taught.story.as('ada')
  const texts = textsOf(ports)
  await taught.teach('ben', '@ben:inbox', texts)
  const filter = { sessionId: '@ben:inbox', held: true, search: 'listens on port' }
  const { learnings } = await ada.run(api.InboxDocument, { first: 100, orderBy: 'OLDEST', filter })
  const decisions = learnings.edges.map(({ node }) => ({ id: node.id, verdict: 'PROMOTE' as const }))
  await ada.run(api.DecideLearningsDocument, { decisions })
  const left = await ada.run(api.InboxDocument, { first: 1, filter })
  return [
    {
      row: 7,
      what: 'what a USER teaches waits for a person',
      before: '0',
      now: share(learnings.totalCount ?? 0, texts),
    },
    {
      row: 7,
      what: 'of these, decided by one call',
      before: '1',
      now: share(learnings.edges.length - (left.learnings.totalCount ?? 0), texts),
    },
  ]
}

async function unusable(taught: Taught, ports: readonly Port[]): Promise<JunkRow[]> {
  const texts = textsOf(ports)
  taught.curator = (text) => (text === texts[0] ? { verdict: 'promote' } : promoteAll(text))
  await taught.teach('ada', 'cli:unusable', texts)
  const waiting = await taught.learnings('cli:unusable', { status: ['PENDING'] })
  const asked: number[] = []
  for (let turn = 0; turn < 5; turn += 1) {
    const before = taught.callsOf('curator')
    await taught.say('ada', 'cli:unusable', 'What is there to know?')
    if (taught.callsOf('curator') > before) asked.push(turn)
  }
  const [last] = await taught.learnings('cli:unusable', { held: true })
  taught.curator = (text) => ({ verdict: 'promote', fact: text.replace(/.*listens/, 'The mayor of Lyon sings') })
  const strange = ports.map(({ other }) => other)
  await taught.teach('ada', 'cli:strange', strange)
  taught.curator = promoteAll
  const kept = await taught.learnings('cli:strange', { status: ['PROMOTED'] })
  return [
    {
      row: 10,
      what: 'learnings that wait after one unusable evaluation of five',
      before: '5',
      now: String(waiting.length),
    },
    {
      row: 10,
      what: 'of five more turns, those that ask about it again, and who decides then',
      before: '5, nobody',
      now: `${asked.length}, ${last === undefined ? 'nobody' : 'a person'}`,
    },
    {
      row: 10,
      what: 'texts of the curator about something else that became facts',
      before: 'all tried',
      now: share(kept.length, strange),
    },
  ]
}

async function atCheckpoint(taught: Taught, ports: readonly Port[]): Promise<JunkRow> {
  const sessionId = 'cli:checkpoint'
  taught.noticed = textsOf(ports)
  await taught.say('ada', sessionId, 'Hello.')
  await using updates = taught.story.as('ada').watch(api.LearningUpdatesDocument, {})
  await updates.until(({ learningUpdates }) => learningUpdates.readList)
  await taught.story.as('ada').run(api.CheckpointSessionDocument, { sessionId })
  const judged = new Set<string>()
  await updates.until(({ learningUpdates: { learning } }) => {
    if (learning?.session.id === sessionId && learning.status !== 'PENDING') judged.add(learning.id)
    return judged.size === ports.length
  })
  taught.noticed = []
  return {
    row: 11,
    what: 'learnings of a checkpoint that are judged without another turn',
    before: '0',
    now: share(judged.size, ports),
  }
}

async function unused(taught: Taught): Promise<JunkRow> {
  const { id } = await taught.say('ada', 'cli:sky', 'What colour is the sky, and on which port do APIs listen?')
  const { turn } = await taught.story.as('ada').run(api.FactsUsedDocument, { id })
  return {
    row: 12,
    what: 'facts that count as used where no model names one',
    before: '50',
    now: String(turn?.factsUsed.length ?? 0),
  }
}
