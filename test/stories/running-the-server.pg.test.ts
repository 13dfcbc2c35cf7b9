/** What admins are shown of the server that they run: its processes, configuration, secrets by name, and budgets. */
import { hostname } from 'node:os'
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { VERSION } from '../../src/platform/version.ts'
import { findInDatabase } from '../harness/find-in-database.ts'
import { addPlugin, until, update } from '../harness/plugins.ts'
import { addSkill } from '../harness/skills.ts'
import { converse, send, Story, storyConfig, watchAll } from '../harness/story.ts'
import {
  AuditDocument,
  BudgetsDocument,
  CancelTurnDocument,
  ConfigurationDocument,
  NodesDocument,
  OwnBudgetDocument,
  ReloadSecretsDocument,
  SecretsDocument,
  type NodesQuery,
} from '../generated/graphql.ts'

type Processes = NonNullable<NodesQuery['nodes']>

let here: Story
beforeAll(async () => {
  here = await Story.begin()
})
afterAll(() => here?.[Symbol.asyncDispose]())

test('the processes, what they run, and that one of them has left', async () => {
  const ada = here.as('ada')
  const read = async (): Promise<Processes> => (await ada.run(NodesDocument)).nodes ?? []
  {
    await using _there = await Story.begin({ beside: here })
    const both = await read()
    expect(both).toHaveLength(2)
    expect(both[0]?.nodeId).toBeGreaterThan(both[1]?.nodeId ?? 0)
    for (const { lastBeatAt, startedAt, ...process } of both) {
      expect(process).toMatchObject({ host: hostname(), version: VERSION, status: 'ALIVE' })
      expect(Date.parse(lastBeatAt)).toBeGreaterThanOrEqual(Date.parse(startedAt))
    }
    expect(both.map(({ sessions, runningTurns }) => [sessions, runningTurns])).toEqual([
      [0, 0],
      [0, 0],
    ])

    await send(ada, 'cli:slow', 'run: sleep 60')
    await using watch = watchAll(ada, 'cli:slow')
    await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TaskUpdateEvent')
    const busy = (await read()).filter(({ runningTurns }) => runningTurns > 0)
    expect(busy.map(({ sessions, runningTurns }) => [sessions, runningTurns])).toEqual([[1, 1]])
    await ada.run(CancelTurnDocument, { sessionId: 'cli:slow' })
    await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TurnCompletedEvent')
  }
  expect(await read()).toHaveLength(1)
})

test('the configuration: taken over, refused with what is wrong and without paths or secrets, and mended', async () => {
  await using _before = await here.reconfigureForNow(storyConfig())
  const ada = here.as('ada')
  const { configuration: first } = await ada.run(ConfigurationDocument)
  expect(first).toMatchObject({ inEffect: true, refusedAt: null, problems: [], declaredUsers: 3, declaredTokens: 5 })

  const secret = 'ada-token-for-the-story'
  await here.reconfigure(`${storyConfig()}[budgets]\nuser_tokens_per_day = "${secret}"\nnonsense = 1\n`)
  const { configuration: broken } = await ada.run(ConfigurationDocument)
  expect(broken).toMatchObject({ inEffect: false, loadedAt: first?.loadedAt, declaredUsers: 3 })
  expect(broken?.refusedAt).not.toBeNull()
  expect(broken?.problems).toHaveLength(2)
  expect(broken?.problems[0]).toMatch(/^line \d+, budgets\.user_tokens_per_day: must be a whole number of tokens/)
  expect(broken?.problems[1]).toContain('budgets.nonsense: is not a known key')
  expect(JSON.stringify(broken)).not.toContain(secret)

  await here.reconfigure('[users')
  const { configuration: unread } = await ada.run(ConfigurationDocument)
  expect(unread?.problems.join()).not.toContain(here.home)
  expect(unread?.problems).not.toEqual([])

  await here.reconfigure(
    `${storyConfig()}[providers.local]\nbase_url = "http://127.0.0.1:1"\n[models]\nplanner = "local:x"\n`,
  )
  const { configuration: mended } = await ada.run(ConfigurationDocument)
  expect(mended).toMatchObject({ inEffect: true, refusedAt: null, problems: [], providers: ['local'] })
  expect(Date.parse(mended?.loadedAt ?? '')).toBeGreaterThan(Date.parse(first?.loadedAt ?? ''))
})

test('secrets by name: what asks for them, which are missing; never what they are', async () => {
  const lines: string[] = []
  const toml = `[providers.far]\nbase_url = "http://127.0.0.1:1"\napi_key_env = "FAR_KEY"\n[models]\nplanner = "far:x"\n`
  await using story = await Story.begin({
    config: { toml, tokens: { bridge: 'webhook_secret_env = "HOOK_SECRET"' } },
    environment: { FAR_KEY: 'value-of-far-key', KISO_SKILL_SEARCH_API_KEY: 'value-of-api-key', HOME: '/root' },
    log: (line) => lines.push(line),
  })
  await writeFile(story.path('.env'), 'FAR_KEY=another-far-key\nUNUSED=value-of-unused\n', { mode: 0o600 })
  const manifest = '[kiso.skill.env]\napi-key = { required = true }\nregion = {}\n'
  addSkill(story.home, 'search', { manifest, files: { 'run.py': '' } })
  addPlugin(story.home, 'courier', 'courier.ts')
  await until(story, 'courier', 'DISABLED')
  await update(story, { name: 'courier', enabled: true })
  await until(story, 'courier', 'READY')
  expect(lines.filter((line) => line.includes('starts without secrets'))).toEqual([
    expect.stringContaining('"secrets":["COURIER_KEY"]'),
  ])
  const ada = story.as('ada')
  await ada.run(ReloadSecretsDocument)
  const { secrets } = await ada.run(SecretsDocument, {})
  expect(secrets?.edges.map(({ node }) => [node.name, node.source, ...node.wantedBy])).toEqual([
    ['COURIER_KEY', null, { kind: 'PLUGIN', name: 'courier', required: false }],
    ['FACTOTUM_SKILL_SEARCH_REGION', null, { kind: 'SKILL', name: 'search', required: false }],
    ['FAR_KEY', 'ENVIRONMENT', { kind: 'PROVIDER', name: 'far', required: true }],
    ['HOOK_SECRET', null, { kind: 'WEBHOOK', name: 'bridge', required: true }],
    ['KISO_SKILL_SEARCH_API_KEY', 'ENVIRONMENT', { kind: 'SKILL', name: 'search', required: true }],
    ['UNUSED', 'ENV_FILE'],
  ])
  expect(JSON.stringify(secrets)).not.toMatch(/value-of|another-far/)
  const second = await ada.run(SecretsDocument, { first: 2, after: secrets?.edges[1]?.cursor })
  expect(second.secrets?.edges.map(({ node }) => node.name)).toEqual(['FAR_KEY', 'HOOK_SECRET'])
  expect(second.secrets?.pageInfo.hasNextPage).toBe(true)

  expect(await findInDatabase(story.databaseUrl, ['value-of', 'another-far'])).toEqual([])
})

test('budgets: of all for admins, their own for each user; what is used, and when it begins anew', async () => {
  const toml =
    '[budgets]\nuser_tokens_per_day = 1000000\n[budgets.users.cleo]\ntokens_per_day = "unlimited"\n[budgets.users.ben]\ntokens_per_day = 1\n'
  await using _budgets = await here.reconfigureForNow(storyConfig({ toml }))
  const [ada, ben] = [here.as('ada'), here.as('ben')]
  expect((await converse(ada, 'cli:any', 'hello')).status).toBe('DONE')
  await send(ben, '@ben:spent', 'hello')
  await using watch = watchAll(ben, '@ben:spent')
  await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TurnPausedEvent')

  const { budgets } = await ada.run(BudgetsDocument, {})
  const [ofAda, ofBen, ...others] = budgets?.edges.map(({ node }) => node) ?? []
  expect(others).toEqual([])
  expect(ofAda).toMatchObject({ user: { name: 'ada' }, tokensPerDay: 1_000_000, costPerDay: null, usedUp: false })
  expect(ofAda?.tokensUsed).toBeGreaterThan(0)
  expect(ofBen).toMatchObject({ user: { name: 'ben' }, tokensPerDay: 1, usedUp: true })
  const untilReset = Date.parse(ofBen?.resetsAt ?? '') - Date.now()
  expect(ofBen?.resetsAt).toMatch(/T00:00:00/)
  expect(untilReset).toBeLessThan(86_400_000 + 60_000)
  expect((await ben.run(OwnBudgetDocument)).viewer.budget).toEqual(ofBen)
  expect((await here.as('cleo').run(OwnBudgetDocument)).viewer.budget).toBeNull()
  expect((await here.as('discord').run(OwnBudgetDocument)).viewer.budget).toBeNull()
  const { audit } = await ada.run(AuditDocument, { filter: { actor: 'ben', kind: ['CONFIG'] } })
  expect(audit.edges.map(({ node }) => node)).toMatchObject([
    { configChange: 'BUDGET_USED_UP', configDetail: 'ben has used all of the budget of 1 tokens a day.' },
  ])
  const page = await ada.run(BudgetsDocument, { first: 1 })
  expect(page.budgets?.pageInfo.hasNextPage).toBe(true)
  const rest = await ada.run(BudgetsDocument, { first: 1, after: page.budgets?.edges[0]?.cursor })
  expect(rest.budgets?.edges.map(({ node }) => node.user?.name)).toEqual(['ben'])
})

test('none of it is for users, and the rest of their document is answered', async () => {
  const both =
    '{ viewer { tokenName } nodes { nodeId } configuration { inEffect } secrets { edges { cursor } } budgets { edges { cursor } } }'
  const { data, errors } = await here.as('ben').request(both)
  expect(data).toEqual({ viewer: { tokenName: 'ben' }, nodes: null, configuration: null, secrets: null, budgets: null })
  expect(errors.map(({ extensions }) => extensions?.['code'])).toEqual(Array.from({ length: 4 }, () => 'FORBIDDEN'))
})
