/**
 * `npm run bench:memory`: whether a prompt gets the fact that it needs, what becomes a fact that should not, what can
 * be decided, and what sketches find. Stores of a team's facts from a seed, thirty questions asked in seven ways, facts
 * and questions that were written by hand, and a corpus of learnings; prints the tables, and with --write leaves them
 * in bench/memory.md.
 */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rankFacts } from '../../src/knowledge/rank-facts.ts'
import { must } from '../../src/platform/must.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger, type Logger } from '../../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts'
import { Database } from '../../src/store/database.ts'
import { migrate } from '../../src/store/connection/migrate.ts'
import { COMPARED_ALL } from '../../src/store/embeddings/nearest-sketches.ts'
import { databaseUrl, dropDatabase, runAsAdmin } from '../../test/harness/database.ts'
import { createTemporaryHome } from '../../test/harness/temporary-home.ts'
import type { Question } from '../../test/knowledge/corpus/store.ts'
import { indexSketches, measureIndex, type IndexRecall } from './by-index.ts'
import { chooseAsBefore, prepareBefore } from './choice-before.ts'
import { measureDecisions } from './decisions.ts'
import { withEmbeddings } from './embedded.ts'
import { measureJunk, type JunkRow } from './junk.ts'
import { ASKING, fillStore, measureChoice, type Choice, type Found } from './recall.ts'
import { findNearest, measureSketches, type SketchRecall } from './sketches.ts'
import { indexTable, junkTable, pageOf, recallTable, sketchTable, teamTable, type Tables } from './tables.ts'
import { fillTeam, measureTeam, type TeamFound } from './team.ts'

const HELP = `npm run bench:memory -- [--sizes 300,1000,10000,100000] [--seeds 1,2]
  [--only recall,team,junk,decisions,sketches] [--write]

  --write  leaves the tables in bench/memory.md, with all of them

FACTOTUM_TEST_DATABASE_URL names a server to use instead of the embedded one: with pgvector, say, which is measured then, too`

const FACTS_SHOWN = 20
/** Of sketches, compared exactly. */
const CANDIDATES = [100, 300, 1000]

const CHOICES: Readonly<Record<string, Choice>> = {
  before: (database, { text }) => chooseAsBefore(database, text),
  now: (database, { text, before, reach }) =>
    rankFacts(database, {
      about: text,
      before: before === null ? [] : [before],
      ...(reach === undefined ? {} : { reach }),
      teachers: ASKING,
      maxCount: FACTS_SHOWN,
    }),
}

/** An empty database for `run`, which goes when that ends. */
async function withDatabase<Result>(
  adminUrl: string,
  name: string,
  run: (database: Database, place: { readonly logger: Logger; readonly url: string }) => Promise<Result>,
): Promise<Result> {
  await runAsAdmin(adminUrl, `CREATE DATABASE ${name}`)
  const url = databaseUrl(adminUrl, name)
  const logger = createLogger({ level: 'warn', pretty: false })
  await migrate(url, { logger, clock: systemClock })
  const database = new Database({ url, maxConnections: 2, logger })
  try {
    return await run(database, { logger, url })
  } finally {
    await database.close()
    await dropDatabase(adminUrl, name)
  }
}

function measureStore(adminUrl: string, store: { size: number; seed: number }): Promise<Found[]> {
  return withDatabase(adminUrl, `memory_${store.size}_${store.seed}`, async (database, { logger }) => {
    const questions: readonly Question[] = await fillStore(database, store)
    await prepareBefore(database)
    const found: Found[] = []
    for (const [choice, choose] of Object.entries(CHOICES))
      found.push(await measureChoice(database, questions, { name: choice, choose, ...store }))
    await using embedded = await withEmbeddings(logger, FACTS_SHOWN)
    await embedded.embedAll(database)
    const choose = embedded.choice
    found.push(await measureChoice(database, questions, { name: 'embedder', choose, ...store }))
    if (store.size > COMPARED_ALL && (await indexSketches(database)))
      found.push(await measureChoice(database, questions, { name: 'pgvector', choose, ...store }))
    return found
  })
}

function measureHeldOut(adminUrl: string): Promise<TeamFound[]> {
  return withDatabase(adminUrl, 'memory_team', async (database, { logger }) => {
    await fillTeam(database)
    const choose = must(CHOICES['now'], 'how facts are chosen')
    const byWords = await measureTeam(database, { name: 'now', choose })
    await using embedded = await withEmbeddings(logger, FACTS_SHOWN)
    await embedded.embedAll(database)
    return [byWords, await measureTeam(database, { name: 'embedder', choose: embedded.choice })]
  })
}

interface Seeded {
  readonly seed: number
}

async function measure(adminUrl: string, asked: Asked): Promise<Tables> {
  const say = (what: string): void => console.error(`measuring ${what} …`)
  const junk: JunkRow[][] = []
  for (const seed of asked.only.has('junk') ? asked.seeds : []) {
    say(`what becomes a fact, seed ${seed}`)
    junk.push(await withDatabase(adminUrl, `memory_junk_${seed}`, (database) => measureJunk(database, seed)))
  }
  const decisions: JunkRow[][] = []
  for (const seed of asked.only.has('decisions') ? asked.seeds : []) {
    say(`what is decided, seed ${seed}`)
    decisions.push(
      await withDatabase(adminUrl, `memory_decisions_${seed}`, (database, { url }) => {
        return measureDecisions(url, { database, seed })
      }),
    )
  }
  const found: Found[] = []
  const stores = asked.sizes.flatMap((size) => asked.seeds.map((seed) => ({ size, seed })))
  for (const store of asked.only.has('recall') ? stores : []) {
    say(`${store.size} facts, seed ${store.seed}`)
    found.push(...(await measureStore(adminUrl, store)))
  }
  const team = asked.only.has('team') ? await measureHeldOut(adminUrl) : []
  const sketches: (SketchRecall & Seeded)[] = []
  const byIndex: (IndexRecall & Seeded)[] = []
  for (const { size, seed } of asked.only.has('sketches') ? stores : []) {
    say(`sketches of ${size} facts, seed ${seed}`)
    const nearest = findNearest(size, seed)
    sketches.push({ ...measureSketches(nearest, CANDIDATES), seed })
    const index = await withDatabase(adminUrl, `memory_sketches_${size}_${seed}`, (database) => {
      return measureIndex(database, nearest)
    })
    if (index !== null) byIndex.push({ ...index, seed })
  }
  return {
    junk: junkTable(junk, asked.seeds),
    decisions: junkTable(decisions, asked.seeds),
    recall: recallTable(found),
    team: teamTable(team),
    sketches: sketchTable(sketches),
    index: indexTable(byIndex),
  }
}

async function main(asked: Asked, isWritten: boolean): Promise<void> {
  await using home = await createTemporaryHome()
  const logger = createLogger({ level: 'warn', pretty: false })
  const given = process.env['FACTOTUM_TEST_DATABASE_URL']
  const postgres =
    given === undefined ? await startEmbeddedPostgres({ home: home.path, logger, clock: systemClock }) : null
  try {
    const tables = await measure(given ?? postgres?.url ?? '', asked)
    console.log(
      Object.values(tables)
        .filter((table) => table !== '')
        .join('\n\n'),
    )
    if (isWritten) await writeFile(fileURLToPath(new URL('../memory.md', import.meta.url)), pageOf(tables, FACTS_SHOWN))
  } finally {
    await postgres?.stop()
  }
}

interface Asked {
  readonly sizes: readonly number[]
  readonly seeds: readonly number[]
  readonly only: ReadonlySet<string>
}

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '300,1000,10000,100000' },
    seeds: { type: 'string', default: '1,2' },
    only: { type: 'string', default: 'recall,team,junk,decisions,sketches' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const numbers = (list: string): number[] => list.split(',').map(Number)
if (flags.help) console.log(HELP)
else {
  const asked = { sizes: numbers(flags.sizes), seeds: numbers(flags.seeds), only: new Set(flags.only.split(',')) }
  await main(asked, flags.write)
}
