/** What the pages hold can be used as it stands: commands, documents of the API, sections of config.toml, links. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildSchema, NoUnusedFragmentsRule, parse, specifiedRules, validate } from 'graphql'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { allCommands, parseCommandLine, pathOf } from '../../src/config/command-line/command-line.ts'
import { declareCommands } from '../../src/config/command-line/declare-commands.ts'
import { fileSchema } from '../../src/config/schema/schema.ts'
import { DELIVERY_SCHEDULE } from '../../src/delivery/delivery-schedule.ts'
import { fencesOf, PAGES, type Fence } from './fences.ts'

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
/** Pages show pieces: a fragment alone is one. */
const RULES = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule)

/** At the beginning of a line, of a part of it, or behind npx: elsewhere it is a word of another command. */
const COMMAND = /(?:^|[|;(]\s*|npx )factotum(?: ([^;&|)#]*))?/g

const commands = fencesOf('sh', 'bash').flatMap(({ page, line, text }) =>
  text
    .split('\n')
    .flatMap((written, n) =>
      [...written.matchAll(COMMAND)].map(([, words = '']) => ({ place: `${page}:${line + n}`, words: words.trim() })),
    ),
)

/** What is wrong with the words behind `factotum`; null: nothing. */
function misuseOf(words: string): string | null {
  const args = words.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  const action = parseCommandLine(args.map((word) => word.replaceAll(/^["']|["']$/g, '')))
  return action.kind === 'misuse' ? action.message : null
}

describe('commands', () => {
  test.each(commands)('$place: factotum $words', ({ words }) => expect(misuseOf(words)).toBeNull())
  test('are found', () => expect(commands.length).toBeGreaterThan(20))
})

/** In a sentence. */
const inSentences = ['ARCHITECTURE.md', ...PAGES].flatMap((page) => {
  const prose = readFileSync(page, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
  return [...prose.matchAll(/`(?:npx )?factotum\s([^`]+)`/g)].map(([, words = '']) => ({ page, words }))
})
const names = new Set(allCommands(declareCommands(() => {})).map(pathOf))
const withWords = inSentences.filter(({ words }) => !names.has(words))

describe('commands in sentences are used rightly, or named alone', () => {
  test.each(withWords)('$page: factotum $words', ({ words }) => {
    expect(misuseOf(words.replace('<DATABASE_URL>', 'postgresql://user@host/database'))).toBeNull()
  })
  test('are found', () => expect(inSentences.length).toBeGreaterThan(15))
})

test('the attempts of a webhook are those of the schedule', () => {
  const { pausesMs } = DELIVERY_SCHEDULE
  const schedule = /Nine attempts, with pauses of 1, 3 and 9 s, 1, 5 and 30 min, 2 and 8 h/
  expect(readFileSync('docs/operations.md', 'utf8')).toMatch(schedule)
  expect(pausesMs.map((ms) => ms / 1000)).toEqual([1, 3, 9, 60, 300, 1800, 7200, 28_800])
})

// Those of docs/clients are files of the tests (test/repository/client-guide.test.ts).
const documents = fencesOf('graphql').filter(({ page }) => !page.startsWith('docs/clients'))
describe('documents of the API', () => {
  test.each(documents)('$page:$line', ({ text }) => {
    expect(validate(schema, parse(text), RULES).map(({ message }) => message)).toEqual([])
  })
  test('are found', () => expect(documents.length).toBeGreaterThan(3))
})

const config = fileSchema(false)
const isOfConfig = ({ text }: Fence): boolean => Object.keys(parseToml(text)).some((key) => key in config.shape)

// Others are manifests of other programs.
const sections = fencesOf('toml').filter(isOfConfig)
/** What stands in place of a hash, and of a secret. */
const filledIn = (text: string): string =>
  text.replaceAll('"…"', `"${'0'.repeat(64)}"`).replaceAll('whsec_…', `whsec_${Buffer.alloc(32).toString('base64')}`)

describe('sections of config.toml', () => {
  test.each(sections)('$page:$line', ({ text }) => {
    const { error } = config.safeParse(parseToml(filledIn(text)))
    expect(error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []).toEqual([])
  })
  test('are found', () => expect(sections.length).toBeGreaterThan(5))
})

/** As GitHub makes them of headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = readFileSync(page, 'utf8')
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    .matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  )
}

test.each(PAGES)('%s: every link leads somewhere', (page) => {
  const links = readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)
  const broken = [...links].flatMap(([, link = '']) => {
    if (/^(https?:|mailto:)/.test(link)) return []
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(target)) return [link]
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor) ? [link] : []
  })
  expect(broken).toEqual([])
})
