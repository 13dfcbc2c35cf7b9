/** The rate of a token is one of work, not of requests: what costs more counts as several. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Kind, parse, print, type DocumentNode, type FragmentDefinitionNode } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send, Story, turnEnd, watchAll, type Person } from '../harness/story.ts'

/** Costs nearly what one operation may, however little there is to read. */
const DEAREST = `{ sessions(first: 15) { edges { node { id messages(first: 100) { edges { node { id } } } } } } }`

let story: Story
beforeAll(async () => {
  // As it is without a setting: 600 in a minute.
  story = await Story.begin({ config: { settings: { requests_per_minute: 600 } } })
})
afterAll(() => story?.[Symbol.asyncDispose]())

/** Sends it until it is refused for the rate; how often it was let in, and the refusal. */
async function untilLimited(person: Person, query: string) {
  for (let count = 0; count <= 600; count += 1) {
    const { status, errors } = await story.as(person).request(query, {})
    if (errors[0]?.extensions?.['code'] === 'RATE_LIMITED') return { count, status, extensions: errors[0].extensions }
    expect(errors).toEqual([])
  }
  throw new Error('it was never limited')
}

test('a costly query that is repeated is limited long before as many were sent as small ones may be', async () => {
  const { count, status, extensions } = await untilLimited('ben', DEAREST)
  expect(status).toBe(429)
  expect(extensions['retryAfterMs']).toBeGreaterThan(0)
  // 600 of 40 to 50 each, and what trickles in meanwhile.
  expect(count).toBeGreaterThanOrEqual(12)
  expect(count).toBeLessThan(40)
  expect((await story.as('cleo').request('{ viewer { role } }', {})).errors).toEqual([])
})

const ROOT = join(import.meta.dirname, '../..')
const parsed = (pattern: string): DocumentNode['definitions'] =>
  globSync(pattern, { cwd: ROOT }).flatMap((file) => parse(readFileSync(join(ROOT, file), 'utf8')).definitions)

/** Every query that the console's pages send, with the fragments that it needs, by its name. */
function queriesOfConsole(): ReadonlyMap<string, string> {
  const definitions = [...parsed('packages/client/src/**/*.graphql'), ...parsed('console/src/**/*.graphql')]
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
  const queries = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION && one.operation === 'query')
  return new Map(
    queries.map((query) => [
      query.kind === Kind.OPERATION_DEFINITION ? (query.name?.value ?? '') : '',
      [query, ...neededBy(print(query), fragments)].map(print).join('\n'),
    ]),
  )
}

function neededBy(text: string, fragments: readonly FragmentDefinitionNode[]): readonly FragmentDefinitionNode[] {
  const needed = new Set<FragmentDefinitionNode>()
  const visit = (asking: string): void => {
    for (const fragment of fragments) {
      if (needed.has(fragment) || !asking.includes(`...${fragment.name.value}`)) continue
      needed.add(fragment)
      visit(print(fragment))
    }
  }
  visit(text)
  return [...needed]
}

test('who goes through every page of the console, and once more, is not limited', async () => {
  const ada = story.as('ada')
  await send(ada, 'cli:seen', 'hello')
  await using watch = watchAll(ada, 'cli:seen')
  const { turnId } = await turnEnd(watch)
  const variables = {
    id: 'cli:seen',
    sessionId: 'cli:seen',
    turnId,
    by: 'MODEL',
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-02T00:00:00Z',
  }
  const queries = queriesOfConsole()
  expect(queries.size).toBeGreaterThan(30)
  for (let times = 0; times < 2; times += 1) {
    for (const query of queries.values()) {
      // Some want other variables: they are refused after they were counted.
      const { errors } = await ada.request(query, variables)
      expect(errors.map(({ extensions }) => extensions?.['code'])).not.toContain('RATE_LIMITED')
    }
  }
})
