/**
 * Users, aliases and tokens as rows: what config.toml declares has its rows, what else stands there holds within a
 * second in every process, and what the file says wins. Rows are written behind the server's back here;
 * people-by-admins tells how an admin does.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { hashToken } from '../../src/config/access/token-hash.ts'
import { namedId } from '../../src/platform/id.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { ApiClient } from '../harness/api-client.ts'
import { Story, storyConfig } from '../harness/story.ts'
import { ViewerDocument } from '../generated/graphql.ts'
import { PATIENCE } from '../harness/patience.ts'

let here: Story
beforeAll(async () => {
  here = await Story.begin()
})
afterAll(() => here?.[Symbol.asyncDispose]())

const secretOf = (name: string): string => `${name}-token-in-the-rows`

async function open(story: Story): Promise<Database & AsyncDisposable> {
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: story.databaseUrl, maxConnections: 1, logger })
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.close() })
}

/** An admin, with a token of the same name. */
const add = async ({ prisma }: Database, name: string, expiresAt: Date | null = null): Promise<void> => {
  const own = { declared: false, createdAt: new Date() }
  await prisma.user.create({
    data: { ...own, id: namedId('user', name), name, role: 'ADMIN', allSkills: true },
  })
  const sha256 = Uint8Array.from(hashToken(secretOf(name)))
  const id = namedId('token', name)
  await prisma.token.create({ data: { ...own, id, name, sha256, kind: 'USER', userName: name, expiresAt } })
}

const statusOf = async (story: Story, name: string): Promise<number> =>
  (await new ApiClient(story.app.url, secretOf(name)).request(ViewerDocument)).status

test('what config.toml declares has its rows, and what goes from it is gone there', async () => {
  await using story = await Story.begin()
  await using database = await open(story)
  const users = () => database.prisma.user.findMany({ where: { removedAt: null }, orderBy: { name: 'asc' } })
  expect((await users()).map(({ name, role, declared }) => [name, role, declared])).toEqual([
    ['ada', 'ADMIN', true],
    ['ben', 'USER', true],
    ['cleo', 'USER', true],
  ])
  const tokens = await database.prisma.token.findMany({ where: { revokedAt: null }, orderBy: { name: 'asc' } })
  expect(tokens.map(({ name, kind, userName, namespace }) => [name, kind, userName, namespace])).toContainEqual([
    'discord',
    'CONNECTOR',
    null,
    'discord',
  ])
  const aliases = await database.prisma.userAlias.findMany({ orderBy: { tokenName: 'asc' } })
  expect(aliases.map(({ tokenName, identity, userName }) => [tokenName, identity, userName])).toEqual([
    ['bridge', 'ben-on-the-bridge', 'ben'],
    ['discord', 'Ben#1', 'ben'],
  ])
  const sections = storyConfig().split(/^(?=\[)/m)
  const without = sections.filter((section) => !/^\[(users|tokens)\.cleo\]/.test(section)).join('')
  await story.reconfigure(without)
  await vi.waitFor(async () => expect((await users()).map(({ name }) => name)).toEqual(['ada', 'ben']), PATIENCE)
  await story.reconfigure(storyConfig())
  await vi.waitFor(
    async () => expect((await users()).map(({ name }) => name)).toEqual(['ada', 'ben', 'cleo']),
    PATIENCE,
  )
})

test('a row holds within a second in all processes, though nobody told them; a removed one no longer', async () => {
  await using there = await Story.begin({ beside: here })
  await using database = await open(here)
  const statuses = async () => [await statusOf(here, 'dora'), await statusOf(there, 'dora')]
  expect(await statuses()).toEqual([401, 401])
  await add(database, 'dora')
  await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200]), PATIENCE)
  const { viewer } = await new ApiClient(there.app.url, secretOf('dora')).run(ViewerDocument)
  expect(viewer).toMatchObject({ tokenName: 'dora', role: 'ADMIN', user: { name: 'dora' } })
  await database.prisma.user.update({ where: { name: 'dora' }, data: { removedAt: new Date() } })
  await vi.waitFor(async () => expect(await statuses()).toEqual([401, 401]), PATIENCE)
})

test('a token is over at its time, and when it was last used is written down', async () => {
  await using database = await open(here)
  const begunAt = Date.now()
  await add(database, 'eve', new Date(Date.now() + 3_600_000))
  await vi.waitFor(async () => expect(await statusOf(here, 'eve')).toBe(200), PATIENCE)
  await database.prisma.token.update({ where: { name: 'eve' }, data: { expiresAt: new Date(Date.now() + 2000) } })
  await vi.waitFor(async () => expect(await statusOf(here, 'eve')).toBe(401), PATIENCE)
  await vi.waitFor(async () => {
    const uses = await database.prisma.tokenUse.findMany({ where: { tokenName: 'eve' } })
    const during = (at: Date): boolean => at.getTime() >= begunAt && at.getTime() <= Date.now()
    expect(uses.map(({ lastUsedAt }) => during(lastUsedAt))).toEqual([true])
  }, PATIENCE)
})

test('what config.toml declares wins over a row of the same name, and takes it', async () => {
  await using database = await open(here)
  await add(database, 'fay')
  await vi.waitFor(async () => expect(await statusOf(here, 'fay')).toBe(200), PATIENCE)
  await here.reconfigure(storyConfig({ toml: '[users.fay]\nrole = "user"\nskills = []\n' }))
  const { viewer } = await new ApiClient(here.app.url, secretOf('fay')).run(ViewerDocument)
  expect(viewer).toMatchObject({ role: 'USER', user: { name: 'fay' } })
  await vi.waitFor(async () => {
    const row = await database.prisma.user.findUnique({ where: { name: 'fay' } })
    expect(row).toMatchObject({ role: 'USER', declared: true })
  }, PATIENCE)
  await here.reconfigure(storyConfig())
  expect(await statusOf(here, 'fay')).toBe(401)
})
