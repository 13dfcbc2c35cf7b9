/**
 * A server with something on every page, as after some weeks of work: made through the API alone, as people and
 * frontends would, but for the usage of the days before. Used by `npm run shots` and by the test of all pages.
 */
import { cp } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newId } from '../../../src/platform/id.ts'
import type { Database } from '../../../src/store/database.ts'
import * as api from '../../generated/graphql.ts'
import type { ApiClient } from '../../harness/api-client.ts'
import { converse, send, watchAll, type Person, type StoryConfig } from '../../harness/story.ts'
import { StubEndpoint } from '../../model/stub-endpoint.ts'
import { scriptedModel } from './example-model.ts'
import * as turns from './example-turns.ts'
import { addUsage } from './example-usage.ts'

const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url))

export interface Example extends AsyncDisposable {
  /** For `storyConfig`. */
  readonly config: StoryConfig
  readonly environment: Readonly<Record<string, string>>
  /** Puts everything in, on a server that has just started with this configuration. */
  populate(place: ExamplePlace): Promise<void>
}

interface ExamplePlace {
  readonly home: string
  readonly database: Database
  readonly as: (person: Person) => ApiClient
}

/** The session that is shown open. */
export const SHOWN_SESSION = '@ada:release-2.4'
/** One in which a model converses. */
export const SPOKEN_SESSION = '@ada:backup'

export async function startExample(): Promise<Example> {
  await using stack = new AsyncDisposableStack()
  const stub = stack.use(await StubEndpoint.start({ by: scriptedModel(turns.PLANNED, turns.SPOKEN) }))
  const hooks = await startReceiver()
  stack.defer(() => stop(hooks))
  const hook = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/hooks`
  const owned = stack.move()
  return {
    config: {
      settings: SETTINGS,
      toml: tomlFor(stub.baseUrl),
      tokens: { ada: 'webhook_secret_env = "WEBHOOK_SECRET"' },
    },
    environment: { LOCAL_MODELS_KEY: 'none', WEBHOOK_SECRET },
    populate: (place) => populate(place, hook),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const SETTINGS = {
  exec_timeout: 3600,
  currency: 'EUR',
  webhook_allow_list: ['127.0.0.1'],
} as const

function tomlFor(baseUrl: string): string {
  const price = (model: string, input: number) => `[prices."local:${model}"]\ninput = ${input}\noutput = ${3 * input}\n`
  return `
[providers.local]
base_url = "${baseUrl}"
api_key_env = "LOCAL_MODELS_KEY"
[models]
planner = "local:large-32b"
reviewer = "local:small-8b"
messenger = "local:small-8b"
curator = "local:mistral-small"
${price('large-32b', 0.9)}${price('small-8b', 0.2)}${price('mistral-small', 0.4)}
[mcp.calendar]
url = "https://calendar.example.com/mcp"
enabled = false
[curation]
user = "hold"
admin = "hold"
[budgets]
user_tokens_per_day = 400000
[[approvals.rules]]
effect = "require"
command = "git push"
[[approvals.rules]]
effect = "require"
command = "npm install"
`
}

async function populate({ home, database, as }: ExamplePlace, hook: string): Promise<void> {
  await addUsage(database, new Date())
  await cp(join(EXAMPLES, 'plugins'), join(home, 'plugins'), { recursive: true })
  await cp(join(EXAMPLES, 'skills/text-stats'), join(home, 'skills/text-stats'), { recursive: true })
  await fillPeople(as('ada'))
  await fillMemory(as('ada'), database)
  await fillSchedules(as)
  await fillSessions(as, hook)
  await ageSessions(database)
}

/** What was not made would be missing in a picture. */
async function made(result: Promise<object>): Promise<void> {
  const [first] = Object.values(await result) as readonly object[]
  if (first === undefined || 'problem' in first) throw new Error(`the example is not made: ${JSON.stringify(first)}`)
}

async function fillPeople(ada: ApiClient): Promise<void> {
  const dora: api.CreateUserInput = { name: 'dora', role: 'USER', skills: [], tools: ['weather__*'] }
  await made(ada.run(api.CreateUserDocument, { input: dora }))
  await made(ada.run(api.LinkIdentityDocument, { input: { user: 'dora', connector: 'discord', identity: 'Dora#7' } }))
  await made(ada.run(api.CreateTokenDocument, { input: { name: 'dora-laptop', kind: 'USER', user: 'dora' } }))
}

const FACTS = [
  'Customers in Switzerland are invoiced in francs.',
  'The staging system is reset every Monday at 06:00 UTC.',
  'Reports go to the team before nine in the morning.',
  'Ben prefers tables to long texts.',
  'The calendar service answers with at most 500 entries a page.',
] as const

async function fillMemory(ada: ApiClient, database: Database): Promise<void> {
  for (const content of FACTS) await ada.run(api.CreateFactDocument, { content })
  const { createFact } = await ada.run(api.CreateFactDocument, { content: 'The nightly backup starts at 17:00 UTC.' })
  if (createFact.__typename === 'CreateFactPayload') {
    const { id, version } = createFact.fact
    await ada.run(api.EditFactDocument, {
      id,
      version,
      content: 'The nightly backup starts at 18:00 UTC, after the export.',
    })
  }
  await proposeOne(ada, database)
  await ada.run(api.CreateQuestionDocument, { content: 'Who may be told about the new prices before January?' })
}

/** As the summarizer does where facts say nearly the same. */
async function proposeOne(ada: ApiClient, database: Database): Promise<void> {
  const sources: { step: number; factId: string; version: number; content: string }[] = []
  for (const content of ALIKE) {
    const { createFact } = await ada.run(api.CreateFactDocument, { content })
    if (createFact.__typename !== 'CreateFactPayload') throw new Error(JSON.stringify(createFact))
    sources.push({ step: 0, factId: createFact.fact.id, version: createFact.fact.version, content })
  }
  const content = 'The office in Lisbon is open from 9:00 to 17:00, and closed on public holidays.'
  const steps = [{ operation: 'MERGE', content, reason: null }]
  const data = { id: newId('proposal'), steps, createdAt: new Date(), sources: { create: sources } }
  await database.prisma.proposal.create({ data })
}

const ALIKE = [
  'The office in Lisbon is open from 9:00 to 17:00.',
  'On public holidays the office in Lisbon is closed; otherwise it opens at 9:00.',
] as const

async function fillSchedules(as: ExamplePlace['as']): Promise<void> {
  const zone = 'Europe/Berlin'
  const plans = [
    ['ada', 'Figures for the team', 'Send the figures of yesterday to the team.', '30 8 * * MON-FRI'],
    ['ada', 'Look for old branches', 'List branches that nobody has touched for a month.', '0 10 1 * *'],
    ['ben', 'Plan the week', 'What is due this week, and what waits for others?', '0 9 * * MON'],
  ] as const
  for (const [person, name, content, cron] of plans)
    await made(as(person).run(api.CreateScheduleDocument, { input: { name, content, cron, timeZone: zone } }))
}

async function fillSessions(as: ExamplePlace['as'], hook: string): Promise<void> {
  const [ada, ben, cleo] = [as('ada'), as('ben'), as('cleo')]
  const open = (client: ApiClient, input: api.OpenSessionInput): Promise<void> =>
    made(client.run(api.OpenSessionDocument, { input }))
  await open(cleo, { id: '@cleo:lisbon', description: 'Three days in Lisbon', mode: 'CHAT' })
  await converse(cleo, '@cleo:lisbon', turns.LISBON.message)
  await open(ben, { id: '@ben:suppliers', description: 'Prices of suppliers', mode: 'CHAT' })
  await converse(ben, '@ben:suppliers', turns.SUPPLIERS.message)
  await open(ada, { id: '@ada:handover', description: 'What a new colleague should know' })
  await converse(ada, '@ada:handover', turns.HANDOVER.message)
  await open(ada, { id: '@ada:figures', description: 'Figures for the team', webhook: `${hook}/team` })
  await converse(ada, '@ada:figures', turns.REPORT.message)
  await open(ada, { id: '@ada:on-call', description: 'Warnings for the people on call', webhook: `${hook}/away` })
  await converse(ada, '@ada:on-call', turns.ALERT.message)
  await open(ada, { id: SPOKEN_SESSION, description: 'The nightly backup', mode: 'CHAT' })
  await converse(ada, SPOKEN_SESSION, turns.BACKUP.message)
  await open(ben, { id: '@ben:booking', description: 'A date picker for the booking form' })
  await sendAndWait(ben, '@ben:booking', { content: turns.PICKER.message, until: 'TurnPausedEvent' })
  await open(ada, { id: '@ada:search-index', description: 'The search index' })
  await sendAndWait(ada, '@ada:search-index', { content: turns.INDEX.message, until: 'TaskOutputEvent' })
  await open(ada, { id: SHOWN_SESSION, description: 'Release 2.4', participants: ['ben'] })
  await converse(ada, SHOWN_SESSION, turns.RELEASE.message)
  await sendAndWait(ada, SHOWN_SESSION, { content: turns.TAG.message, until: 'TurnPausedEvent' })
}

interface Waiting {
  readonly content: string
  readonly until: 'TurnPausedEvent' | 'TaskOutputEvent'
}

async function sendAndWait(client: ApiClient, sessionId: string, { content, until }: Waiting): Promise<void> {
  await using watch = watchAll(client, sessionId)
  await send(client, sessionId, content)
  await watch.until(({ sessionEvents }) => sessionEvents.__typename === until)
}

/** As if they had been left alone for minutes, hours and days. */
async function ageSessions(database: Database): Promise<void> {
  const text = `
    UPDATE sessions s SET last_activity_at = now() - make_interval(mins => (power(3, r.place - 2) * 5)::int)
    FROM (SELECT id, row_number() OVER (ORDER BY last_activity_at DESC) AS place FROM sessions) r
    WHERE r.id = s.id AND r.place > 2`
  await database.query({ name: '', text }, [])
}

/** Takes what is posted to it, but nothing for those who are away. */
async function startReceiver(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(request.url?.endsWith('/away') === true ? 503 : 204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
