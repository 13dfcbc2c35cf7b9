/** Every command that the pages show, run against a real server; shell-rules.ts says which cannot be, and why. */
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { join } from 'node:path'
import { connect } from '../../packages/client/src/connect.ts'
import { hashToken } from '../../src/config/access/token-hash.ts'
import { SessionTasksDocument } from '../generated/graphql.ts'
import { Story } from '../harness/story.ts'
import { createTemporaryHome, type TemporaryHome } from '../harness/temporary-home.ts'
import { commandOf, FENCES, fencesOf, PAGES } from '../documentation/fences.ts'
import { runPage } from '../documentation/page-shell.ts'
import { FILES, SHELL_RULES, type Rule } from '../documentation/shell-rules.ts'

// Each starts a program of Node, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000 })

const TOKEN = 'the-token-of-anna-who-reads-all-pages'
const ANNA = `[users.anna]
role = "admin"
[tokens.anna]
kind = "user"
user = "anna"
sha256 = "${hashToken(TOKEN).toString('hex')}"
`

let story: Story
let folder: TemporaryHome
beforeAll(async () => {
  story = await Story.begin({ config: { toml: ANNA } })
  folder = await createTemporaryHome()
  // Root's PostgreSQL runs under another account.
  await chmod(folder.path, 0o711)
  const client = connect({ url: story.app.url, token: TOKEN })
  await client.session('cli:demo').ask('run: echo hello')
  await client.session('@anna:demo').ask('run: echo hello')
  client.close()
})
afterAll(async () => {
  await folder[Symbol.asyncDispose]()
  await story[Symbol.asyncDispose]()
})

const commands = fencesOf('sh', 'bash').flatMap(({ page, line, text }) =>
  text
    .split('\n')
    .map((written, n) => ({ page, place: `${page}:${line + n}`, command: commandOf(written) }))
    .filter(({ command }) => command !== ''),
)

test('every command has a rule, and every rule a command', () => {
  const shown = new Set(commands.map(({ command }) => command))
  expect(commands.filter(({ command }) => SHELL_RULES[command] === undefined)).toEqual([])
  expect(Object.keys(SHELL_RULES).filter((command) => !shown.has(command))).toEqual([])
})

test('what is run elsewhere has that test', () => {
  const tests = Object.values(SHELL_RULES).flatMap((rule) => (rule.do === 'elsewhere' ? [rule.test] : []))
  expect(tests.filter((path) => !existsSync(path))).toEqual([])
})

const scripts = (path: string): object =>
  (JSON.parse(readFileSync(path, 'utf8')) as { readonly scripts: object }).scripts

test('scripts of npm are there, also those that are not run here', () => {
  const named = commands.flatMap(({ place, command }) =>
    [...command.matchAll(/npm (?:--prefix (\S+) )?run (\S+)/g)].map(([, folder = '.', name = '']) => ({
      place,
      script: name in scripts(join(folder, 'package.json')) ? name : `${name} is none`,
      name,
    })),
  )
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter(({ script, name }) => script !== name)).toEqual([])
})

const isRun = (rule: Rule | undefined): rule is Rule & { do: 'run' } => rule?.do === 'run'
const pages = PAGES.map((page) => [page, commands.filter((one) => one.page === page)] as const).filter(([, some]) =>
  some.some(({ command }) => isRun(SHELL_RULES[command])),
)

describe('commands', () => {
  test.each(pages)('of %s', async (page, some) => {
    const steps = some.flatMap(({ place, command }) => {
      const how = SHELL_RULES[command]
      return isRun(how) ? [{ place, command, how }] : []
    })
    const own = join(folder.path, page.replaceAll(/\W/g, '-'))
    await mkdir(own)
    await writeFile(join(own, 'report.pdf'), 'a report')
    const file = FILES[page]
    const shown = FENCES.find((fence) => fence.page === page && fence.language === file?.language)
    const files = file === undefined || shown === undefined ? [] : [{ path: file.path, text: shown.text }]
    const printed = await runPage(steps, { story, token: TOKEN, folder: own, files })
    for (const [n, { place, command, how }] of steps.entries()) {
      expect.soft(printed[n]?.text, `${place}: ${command}`).toMatch(how.prints ?? '')
      expect.soft(printed[n]?.exitCode, `${place}: ${command}\n${printed[n]?.text}`).toBe(0)
    }
  })
})

// Those of docs/clients are files of the tests (test/repository/client-guide.test.ts).
const documents = fencesOf('graphql').filter(({ page }) => !page.startsWith('docs/clients'))

/** Of an operation, or the first of a subscription, which is left then. */
async function answerTo(query: string): Promise<{ readonly data?: unknown; readonly errors?: readonly object[] }> {
  const isFollowed = query.startsWith('subscription')
  const response = await fetch(`${story.app.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: isFollowed ? 'text/event-stream' : 'application/json',
    },
    body: JSON.stringify({ query }),
  })
  return isFollowed ? firstEvent(response) : ((await response.json()) as { readonly data?: unknown })
}

/** An approval that there is not is refused, which is no error of the document. */
describe('documents of the API', () => {
  test.each(documents)('$page:$line', async ({ text }) => {
    const answer = await answerTo(text.replace('appr_…', 'appr_00000000000000000000000000'))
    expect(answer.errors).toBeUndefined()
    expect(JSON.stringify(answer.data)).toMatch(/Payload|"id"|NotFound|"status"|"seq"|"edges"/)
  })
})

test.each(fencesOf('message'))('what $page:$line says to the rehearsal model is answered', async ({ text }) => {
  const client = connect({ url: story.app.url, token: TOKEN })
  const session = client.session('cli:message')
  expect(await session.open({ mode: 'CHAT' })).toMatchObject({ __typename: 'OpenSessionPayload' })
  expect(await session.ask(text)).toMatchObject({ __typename: 'Answered' })
  const { session: done } = await story.as('ada').run(SessionTasksDocument, { id: 'cli:message' })
  const tasks = done?.tasks.edges.map(({ node }) => `${node.tool ?? node.type} ${node.status}`)
  expect(tasks).toEqual(expect.arrayContaining(['EXEC DONE', 'memory__remember DONE']))
  client.close()
})

async function firstEvent({ body }: Response): Promise<object> {
  let text = ''
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString()
    const data = /^data: (.+)\n/m.exec(text)?.[1]
    if (data !== undefined) return JSON.parse(data) as object
  }
  return { errors: [{ text }] }
}
