/**
 * What becomes a fact without a person where the curator believes everything: the rows of "what is wrong now" that can
 * be counted, for one seed, on an empty database. Figures from before are those of commit eecbe87, as they were
 * reported; nothing of it can be run beside this.
 */
import { normalText } from '../../src/core/text/normal-text.ts'
import { selectFacts } from '../../src/knowledge/select-facts.ts'
import { newId } from '../../src/platform/id.ts'
import type { Database } from '../../src/store/database.ts'
import { storeInvalidatedFact } from '../../src/store/knowledge/knowledge-fact.ts'
import { storeCuration } from '../../src/store/knowledge/store-curations.ts'
import type { Kind } from '../../test/knowledge/corpus/learning-patterns.ts'
import { makeLearnings } from '../../test/knowledge/corpus/learnings.ts'
import { curateAll, judge, learn, learnedRows, openSession, type Curating } from '../../test/knowledge/play-corpus.ts'
import { credulous } from '../../test/knowledge/stand-in-curators.ts'
import { StubConfig } from '../../test/model/stub-config.ts'

export interface JunkRow {
  /** Of the table of what was wrong, by which the rows go (issue 15). */
  readonly row: number
  readonly what: string
  readonly before: string
  readonly now: string
}

/** In each of five languages. */
const PER_KIND = 6
const MAX_INVALIDATED = 28

export async function measureJunk(database: Database, seed: number): Promise<JunkRow[]> {
  const sessionId = await openSession(database, 'junk')
  const learnings = makeLearnings({ perKind: PER_KIND, seed })
  const { config } = new StubConfig({ baseUrl: null })
  const curating: Curating = { sessionId, config, standIn: credulous, learnings, seed }
  for (const [n, { text }] of learnings.entries()) {
    await learn(database, sessionId, text)
    if (n % 20 === 19) await curateAll(database, curating)
  }
  await curateAll(database, curating)
  const kinds = new Map(learnings.map(({ text, kind }) => [normalText(text), kind]))
  const rows = (await learnedRows(database)).map((row) => ({ ...row, kind: kinds.get(normalText(row.content)) }))
  const became = (kind: Kind): string => {
    const of = rows.filter((row) => row.kind === kind)
    // What is refused may be kept with marks in a secret's place, and is of no kind then.
    const all = learnings.filter((one) => one.kind === kind).length
    return `${of.filter(({ fact }) => fact !== null).length} of ${all}`
  }
  const isTrue = (kind: Kind | undefined): boolean => kind === 'fact' || kind === 'update' || kind === 'narrowed'
  const lost = rows.filter(
    ({ kind, status, held, repeats }) => isTrue(kind) && status !== 'PROMOTED' && !held && !repeats,
  )
  return [
    { row: 2, what: 'true updates refused as repetitions', before: 'all tried', now: await repetitions(database) },
    {
      row: 3,
      what: 'invalidated facts that were facts again',
      before: '28 of 28',
      now: await undone(database, curating),
    },
    { row: 6, what: 'passing remarks that became facts', before: '100 of 100', now: became('remark') },
    { row: 6, what: 'orders', before: '60 of 60', now: became('order') },
    { row: 6, what: 'sentences of the agent about itself', before: '30 of 30', now: became('agent') },
    { row: 6, what: 'secrets', before: '46 of 60', now: became('secret') },
    { row: 6, what: 'recalled facts inside a sentence', before: '36 of 50', now: await recalled(database, curating) },
    {
      row: 6,
      what: 'true texts lost',
      before: '',
      now: `${lost.length} of ${rows.filter(({ kind }) => isTrue(kind)).length}`,
    },
    {
      row: 9,
      what: 'live facts of three sessions that learn one text',
      before: '2 to 3',
      now: await twins(database, curating),
    },
    {
      row: 12,
      what: 'facts in a prompt that asks what colour the sky is',
      before: '50',
      now: await offTopic(database),
    },
  ]
}

const UPDATES: readonly (readonly [known: string, text: string])[] = [
  ['The archive of the shop speaks http.', 'The archive of the shop speaks https.'],
  ['Karl maintains the archive.', 'Karla maintains the archive.'],
  ['Plans of the shop are approved by Grace.', 'Plans of the shop are approved by Grace or Bob.'],
  ['The archive is open except on Sundays.', 'The archive is open.'],
  ['The archive is kept for all customers.', 'The archive is kept for all but one.'],
  ['The archive is compressed.', 'The archive is partially compressed.'],
  ['Grace reads the archive.', 'Only Grace reads the archive.'],
  ['The archive fails.', 'The archive rarely fails.'],
  ['Bob writes the archive.', 'Bob used to write the archive.'],
  ['The archive is closed.', 'The archive is closed until Friday.'],
  ['The shop is built with java.', 'The shop is built with javac.'],
  ['The archive listens on port 8080.', 'The archive listens on port 8081.'],
]

async function repetitions(database: Database): Promise<string> {
  const sessionId = await openSession(database, 'updates')
  for (const [known, text] of UPDATES) {
    await database.query(ADD_FACT, [newId('fact'), known, normalText(known)])
    await learn(database, sessionId, text)
  }
  const rows = await learnedRows(database)
  const refused = UPDATES.filter(([, text]) => rows.some((row) => row.content === text && row.status === 'REFUSED'))
  return `${refused.length} of ${UPDATES.length}`
}

const ADD_FACT = {
  name: '',
  text: `INSERT INTO facts (id, content, norm, source, created_at, updated_at) VALUES ($1, $2, $3, 'MANUAL', now(), now())`,
}

/** What is learned once more, in the same words, and how many of it became facts. */
async function learnAgain(database: Database, curating: Curating, texts: readonly string[]): Promise<string> {
  const before = (await learnedRows(database)).length
  for (const text of texts) await learn(database, curating.sessionId, text)
  await curateAll(database, curating)
  const again = (await learnedRows(database)).slice(before)
  return `${again.filter(({ status }) => status === 'PROMOTED').length} of ${texts.length}`
}

async function undone(database: Database, curating: Curating): Promise<string> {
  const learned = (await learnedRows(database)).filter(({ factId }) => factId !== null).slice(0, MAX_INVALIDATED)
  for (const { factId } of learned) {
    const editor = { userName: 'alice', tokenName: null, changeId: newId('change'), at: new Date() }
    await storeInvalidatedFact(database, editor, { id: factId ?? '', reason: null })
  }
  return learnAgain(
    database,
    curating,
    learned.map(({ content }) => content),
  )
}

async function recalled(database: Database, curating: Curating): Promise<string> {
  await database.query({ name: '', text: SHOW_ALL }, [])
  const known = await database.query<{ content: string }>({ name: '', text: KNOWN }, [])
  return learnAgain(
    database,
    curating,
    known.map(({ content }) => `As already known, ${content}`),
  )
}

const KNOWN = 'SELECT content FROM facts WHERE invalidated_at IS NULL ORDER BY id LIMIT 50'
const SHOW_ALL = `UPDATE turn_facts SET fact_ids = ARRAY(SELECT id FROM facts WHERE invalidated_at IS NULL)`

/** Each has judged before any has stored. */
async function twins(database: Database, curating: Curating): Promise<string> {
  const text = 'The lighthouse of the harbour has nine windows.'
  const sessions = await Promise.all(['one', 'two', 'three'].map((name) => openSession(database, name)))
  await Promise.all(sessions.map((sessionId) => learn(database, sessionId, text)))
  const judged = await Promise.all(
    sessions.map(async (sessionId) => ({ sessionId, made: await judge(database, { ...curating, sessionId }) })),
  )
  await Promise.all(
    judged.flatMap(({ sessionId, made }) => (made ?? []).map((one) => storeCuration(database, sessionId, one))),
  )
  const live = 'SELECT id FROM facts WHERE norm = $1 AND invalidated_at IS NULL'
  return String((await database.query({ name: '', text: live }, [normalText(text)])).length)
}

async function offTopic(database: Database): Promise<string> {
  return String((await selectFacts(database, { about: 'What colour is the sky?', maxCount: 20 })).length)
}
