/**
 * What consolidation makes of a thousand facts, most of them alike in groups, where the summarizer merges whatever it
 * is shown: in as many turns as it took before, then when an admin accepts all of it, and when all is undone.
 */
import { normalText } from '../../src/core/text/normal-text.ts'
import { must } from '../../src/platform/must.ts'
import * as api from '../../test/generated/graphql.ts'
import { SeededRandom } from '../../test/harness/seeded-random.ts'
import { projectName, VALUES } from '../../test/knowledge/corpus/vocabulary.ts'
import type { JunkRow } from './junk.ts'
import type { Merge, Taught } from './taught.ts'

const FACTS = 1000
/** As many took them to 27. */
const PASSES = 9
/** Made by an admin. */
const OF_A_PERSON = 200

/** Merges all that is of one project into its longest text, but for what narrows it: steps that the rules allow. */
const mergeAll: Merge = (facts) =>
  [
    ...Map.groupBy(facts, ({ text }) => `${text.startsWith('Only')} ${/repository of (\w+)/.exec(text)?.[1]}`).values(),
  ].map((alike) => {
    const longest = alike.toSorted((a, b) => b.text.length - a.text.length)[0]
    const labels = alike.map(({ label }) => label)
    return alike.length === 1
      ? { operation: 'keep', facts: labels, content: null, reason: null }
      : { operation: 'merge', facts: labels, content: longest?.text ?? '', reason: null }
  })

export async function measureConsolidation(taught: Taught, seed: number): Promise<JunkRow[]> {
  await fill(taught, seed)
  taught.summarizer = mergeAll
  for (let pass = 0; pass < PASSES; pass += 1) {
    await taught.database.query({ name: '', text: 'UPDATE consolidation_state SET started_at = NULL' }, [])
    await taught.say('ada', 'cli:consolidates', 'Hello.')
  }
  taught.summarizer = (facts) =>
    facts.map(({ label }) => ({ operation: 'keep', facts: [label], content: null, reason: null }))
  const live = await countLive(taught)
  const changes = await acceptAll(taught)
  const accepted = await countLive(taught)
  for (const changeId of changes) await taught.story.as('ada').run(api.UndoChangeDocument, { changeId })
  const now = `${live}, then ${accepted}, then ${await countLive(taught)}`
  const touched = await count(taught, `SELECT FROM facts WHERE source = 'MANUAL' AND version > 1`)
  await taught.database.query({ name: '', text: 'DELETE FROM facts' }, [])
  return [
    { row: 8, what: 'of 1 000 facts in use after nine passes; when an admin accepted all; undone', before: '27', now },
    {
      row: 8,
      what: "of an admin's facts, changed by these",
      before: '200 of 200',
      now: `${touched} of ${OF_A_PERSON}`,
    },
  ]
}

/** Three of one project each say the same in other words, a fourth narrows it. */
async function fill(taught: Taught, seed: number): Promise<void> {
  const random = new SeededRandom(seed)
  const texts = new Set<string>()
  while (texts.size < FACTS) {
    const [project, person] = [projectName(random), VALUES.person(random)]
    const said = `${person} maintains the repository of ${project}`
    for (const text of [`${said}.`, `It is noted: ${said}.`, `${said}, as it is noted.`, `Only ${said}.`])
      if (texts.size < FACTS) texts.add(text)
  }
  const rows = [...texts]
  const ids = rows.map((_, at) => `fact_${String(at).padStart(5, '0')}`)
  const parameters = [ids, rows, rows.map(normalText), FACTS - OF_A_PERSON]
  await taught.database.query({ name: '', text: INSERT, timeoutMs: 25_000 }, parameters)
}

const INSERT = `WITH made AS (
    INSERT INTO facts (id, content, norm, source, created_at, updated_at)
    SELECT id, content, norm, CASE WHEN n > $4::int THEN 'MANUAL' ELSE 'CURATOR' END::fact_source, now(), now()
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS f (id, content, norm, n)
    RETURNING id, content, norm, source)
  INSERT INTO fact_versions (fact_id, version, content, norm, change, changed_by, at)
  SELECT id, 1, content, norm, 'CREATED', CASE source WHEN 'MANUAL' THEN 'ada' ELSE 'curator' END, now() FROM made`

/** The changes that were made, last first. */
async function acceptAll(taught: Taught): Promise<string[]> {
  const ada = taught.story.as('ada')
  const { proposals } = await ada.run(api.ProposalsDocument, { first: 100, status: ['WAITING'] })
  const changes: string[] = []
  for (const { node } of must(proposals, 'proposals').edges) {
    const { acceptProposal } = await ada.run(api.AcceptProposalDocument, { id: node.id })
    if (acceptProposal.__typename === 'AcceptProposalPayload') changes.push(acceptProposal.proposal.changeId ?? '')
  }
  return changes.toReversed()
}

const countLive = (taught: Taught): Promise<number> => count(taught, 'SELECT FROM facts WHERE invalidated_at IS NULL')

async function count(taught: Taught, select: string): Promise<number> {
  const [row] = await taught.database.query<{ n: number }>(
    { name: '', text: `SELECT count(*)::int AS n FROM (${select}) found` },
    [],
  )
  return must(row, 'a count').n
}
