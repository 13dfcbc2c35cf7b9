/** Each page with a long list, with 100 000 rows behind it: until the first of them was drawn. */
import { fillFacts } from '../../test/harness/long-history.ts'
import { median, show } from '../figures.ts'
import type { Row } from '../table.ts'
import type { Run, Scene } from './scene.ts'
import { Tab } from './tab.ts'

const ROWS = 100_000
/** Far more than a deployment may keep (knowledge_max_facts). */
const FACTS = 10_000

const PAGES = [
  { what: 'sessions', path: '/sessions', selector: '.session-row' },
  { what: 'the inbox', path: '/memory', selector: '.learning' },
  { what: 'facts', path: '/memory/facts', selector: '.fact-line' },
  { what: 'the audit', path: '/audit', selector: '.list-row' },
] as const

export async function measureCrowded({ stage, browser, sql }: Scene, { rounds }: { rounds: number }): Promise<Row[]> {
  await using tab = await Tab.open(browser, stage.url)
  await sql(fill)
  const rows: Row[] = []
  for (const { what, path, selector } of PAGES) {
    const found: number[] = []
    for (let round = 0; round <= rounds; round += 1) found.push(await tab.open(`${stage.url}/#${path}`, selector))
    const note = `the first time ${show(found[0] ?? Number.NaN)}`
    const count = what === 'facts' ? FACTS : ROWS
    rows.push({ what: `${what}, ${count} rows, ms`, value: show(median(found.slice(1))), floor: '', ratio: '', note })
  }
  return rows
}

async function fill(run: Run): Promise<void> {
  await run(
    `INSERT INTO sessions (id, source_kind, source_interactive, last_activity_at, description)
     SELECT 'cli:' || n, 'bench', true, now() - n * interval '1 second', 'Session ' || n FROM generate_series(1, $1::int) n`,
    [ROWS],
  )
  await run(
    `INSERT INTO learnings (id, session_id, user_name, content, norm, held, created_at, scope)
     SELECT 'learn_' || lpad(n::text, 9, '0'), 'cli:1', 'ada', 'Thing ' || n || ' hums.', 'thing ' || n || ' hums', true,
       now() - n * interval '1 second', 'GLOBAL' FROM generate_series(1, $1::int) n`,
    [ROWS],
  )
  // As the bench's login was written.
  await run(
    `INSERT INTO audit_entries (id, at, kind, actor, token_name, data)
     SELECT 'aud_' || lpad(n::text, 9, '0'), at, kind, actor, token_name, data
     FROM (SELECT * FROM audit_entries LIMIT 1) one, generate_series(1, $1::int) n`,
    [ROWS],
  )
  await fillFacts(run, 1, FACTS)
}
