/**
 * `npm run bench:memory`: whether a prompt gets the fact that it needs. Stores of a team's facts from a seed, thirty
 * questions asked in six ways; prints the table, and with --write leaves it in bench/memory.md.
 */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rankFacts } from '../../src/knowledge/rank-facts.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts'
import { Database } from '../../src/store/database.ts'
import { migrate } from '../../src/store/migrate.ts'
import { databaseUrl, dropDatabase, runAsAdmin } from '../../test/harness/database.ts'
import { createTemporaryHome } from '../../test/harness/temporary-home.ts'
import { WAYS, type Question } from '../../test/knowledge/corpus/store.ts'
import { show } from '../figures.ts'
import { chooseAsBefore, prepareBefore } from './choice-before.ts'
import { withEmbeddings } from './embedded.ts'
import { fillStore, measureChoice, type Choice, type Found } from './recall.ts'

const HELP = `npm run bench:memory -- [--sizes 1000,10000,100000] [--seeds 1,2] [--write] [--help]

  --write  leaves the tables in bench/memory.md`

const FACTS_SHOWN = 20

const CHOICES: Readonly<Record<string, Choice>> = {
  before: (database, { text }) => chooseAsBefore(database, text),
  now: (database, { text, before }) =>
    rankFacts(database, { about: text, before: before === null ? [] : [before], maxCount: FACTS_SHOWN }),
}

async function measureStore(adminUrl: string, store: { size: number; seed: number }): Promise<Found[]> {
  const name = `memory_${store.size}_${store.seed}`
  await runAsAdmin(adminUrl, `CREATE DATABASE ${name}`)
  const url = databaseUrl(adminUrl, name)
  const logger = createLogger({ level: 'warn', pretty: false })
  await migrate(url, { logger, clock: systemClock })
  const database = new Database({ url, maxConnections: 2, logger })
  try {
    const questions: readonly Question[] = await fillStore(database, store)
    await prepareBefore(database)
    const found: Found[] = []
    for (const [choice, choose] of Object.entries(CHOICES))
      found.push(await measureChoice(database, questions, { name: choice, choose, ...store }))
    await using embedded = await withEmbeddings(logger, FACTS_SHOWN)
    await embedded.embedAll(database)
    found.push(await measureChoice(database, questions, { name: 'embedder', choose: embedded.choice, ...store }))
    return found
  } finally {
    await database.close()
    await dropDatabase(adminUrl, name)
  }
}

function tableOf(found: readonly Found[]): string {
  const heads = ['choice', 'facts', 'seed', ...WAYS, 'tokens', 'ms']
  const rows = found.map(({ choice, size, seed, byWay, tokens, medianMs }) => [
    choice,
    String(size),
    String(seed),
    ...WAYS.map((way) => `${byWay[way].at10} · ${byWay[way].at20}`),
    show(tokens),
    show(medianMs),
  ])
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function pageOf(found: readonly Found[]): string {
  return `# Whether a prompt gets the fact that it needs

Written by \`npm run bench:memory -- --write\`. ${found[0]?.needed ?? 0} needed facts in stores of a team's facts, which share their words
(test/knowledge/corpus), each asked in six ways: how many of them are among the first ten · the first twenty that are
chosen. "before": the 40 newest texts of each word and the newest facts, 50 of them; "now": at most ${FACTS_SHOWN} that score.
"embedder": the same with \`[models] embedder\` set, to a stand-in over HTTP on the same machine whose synonyms and German are the
corpus' own (test/harness/embeddings-endpoint.ts): it says what the second list brings at best, not how good a model is.
Tokens of the facts in a planner's prompt (characters through four) and milliseconds of a choice are medians.

${tableOf(found)}
`
}

async function main(stores: readonly { size: number; seed: number }[], isWritten: boolean): Promise<void> {
  await using home = await createTemporaryHome()
  const logger = createLogger({ level: 'warn', pretty: false })
  const postgres = await startEmbeddedPostgres({ home: home.path, logger, clock: systemClock })
  try {
    const found: Found[] = []
    for (const store of stores) {
      console.error(`measuring ${store.size} facts, seed ${store.seed} …`)
      found.push(...(await measureStore(postgres.url, store)))
    }
    console.log(tableOf(found))
    if (isWritten) await writeFile(fileURLToPath(new URL('../memory.md', import.meta.url)), pageOf(found))
  } finally {
    await postgres.stop()
  }
}

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    seeds: { type: 'string', default: '1,2' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const numbers = (list: string): number[] => list.split(',').map(Number)
if (flags.help) console.log(HELP)
else {
  const stores = numbers(flags.sizes).flatMap((size) => numbers(flags.seeds).map((seed) => ({ size, seed })))
  await main(stores, flags.write)
}
