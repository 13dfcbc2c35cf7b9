/** examples/discord-connector, between a server and a stand-in of Discord, by Discord's own library. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { Connector } from '../../../examples/discord-connector/connector.ts'
import { CreateLinkCodeDocument, LinkIdentityDocument } from '../../generated/graphql.ts'
import { approvalRules } from '../../harness/approvals.ts'
import { Story, tokenOf } from '../../harness/story.ts'
import { TcpProxy } from '../../harness/tcp-proxy.ts'
import { DiscordStandIn } from './discord-stand-in.ts'

const BEN = '80351110224678912'
const STRANGER = '80351110224670000'
const RULES = `[approvals]\nown_user_may_decide = true\n${approvalRules('effect = "require"\ncommand = "tee"')}`

let story: Story
let discord: DiscordStandIn
beforeAll(async () => {
  story = await Story.begin({ config: { settings: { max_replan_depth: 0 }, toml: RULES } })
  discord = await DiscordStandIn.start()
  const input = { connector: 'discord', identity: BEN, user: 'ben' }
  const { linkIdentity } = await story.as('ada').run(LinkIdentityDocument, { input })
  if (linkIdentity.__typename !== 'LinkIdentityPayload') throw new Error(JSON.stringify(linkIdentity))
})
afterAll(async () => {
  await discord[Symbol.asyncDispose]()
  await story[Symbol.asyncDispose]()
})

/** `by`: another way to the server. */
async function connector(by: { url?: string; patienceMs?: number } = {}): Promise<AsyncDisposable> {
  const { api, token } = discord
  const factotum = { url: story.app.url, token: tokenOf('discord'), ...by }
  const made = new Connector({ factotum, discord: { api, token }, file: join(story.home, 'places.json') })
  await made.start()
  return { [Symbol.asyncDispose]: () => made.stop() }
}

const lastSaid = (id: string) => async () =>
  (await story.as('ben').session(id).history({ last: 1 })).entries.at(-1)?.content
const said = (channel: string) => () => discord.saidIn(channel)

test('channels are sessions, authors users; approvals are asked for as text; nothing is missed or said twice', async () => {
  const once = await connector()
  discord.write('1', BEN, 'Good morning')
  discord.write('2', BEN, 'Good evening')
  await expect.poll(said('1')).toEqual([expect.stringContaining('Good morning')])
  await expect.poll(said('2')).toEqual([expect.stringContaining('Good evening')])
  const { sessions } = (await story.as('ben').run('{ sessions(first: 9) { edges { node { id } } } }', {})) as {
    sessions: { edges: { node: { id: string } }[] }
  }
  expect(sessions.edges.map(({ node }) => node.id).toSorted()).toEqual(['discord:1', 'discord:2'])

  discord.write('2', STRANGER, 'run: echo mine')
  await expect.poll(said('2')).toEqual([expect.anything(), expect.stringContaining(STRANGER)])

  discord.write('1', BEN, 'run: echo done | tee approved')
  await expect.poll(said('1')).toHaveLength(2)
  const [, asked = ''] = discord.saidIn('1')
  const [, code = ''] = /"approve (\w{6})"/.exec(asked) ?? []
  expect(asked).toContain('tee approved')
  discord.write('1', STRANGER, `approve ${code}`)
  await expect.poll(said('1')).toHaveLength(3)
  discord.write('1', BEN, `approve ${code}`)
  await expect.poll(said('1')).toHaveLength(4)
  await once[Symbol.asyncDispose]()

  const missed = Array.from({ length: 120 }, (_, n) => `Missed ${n}`)
  for (const text of missed) discord.write('2', STRANGER, text)
  discord.write('1', BEN, 'While you were away')
  await using _again = await connector()
  await expect.poll(said('1')).toHaveLength(5)
  expect(discord.saidIn('1').at(-1)).toContain('While you were away')
  expect(new Set(discord.saidIn('1')).size).toBe(5)
  await expect.poll(lastSaid('discord:2')).toBe(missed.at(-1))
  const newest = await story.as('ben').session('discord:2').history({ last: 100 })
  const older = await story.as('ben').session('discord:2').history({ last: 20, before: newest.before })
  expect([...older.entries, ...newest.entries].map(({ content }) => content)).toEqual(missed)
  expect(discord.saidIn('2')).toHaveLength(2)
})

test('a text that is longer than Discord takes is posted in pieces of whole characters', async () => {
  await using _connector = await connector()
  // Of one of the two the middle of a character is where a piece would end.
  for (const [channel, command] of [
    ['40', `tee ${'🙂'.repeat(2500)}`],
    ['41', `tee a${'🙂'.repeat(2500)}`],
  ] as const) {
    discord.write(channel, BEN, `run: ${command}`)
    await expect
      .poll(() => discord.saidIn(channel).join(''))
      .toMatch(new RegExp(`\\n${command}\\n.*"approve \\w+"`, 's'))
    expect(discord.saidIn(channel).filter((piece) => !piece.isWellFormed())).toEqual([])
  }
})

test('why a turn failed is said once', async () => {
  await using _connector = await connector()
  discord.write('50', BEN, 'fail:\nrun: echo hi')
  discord.write('50', BEN, 'Good morning')
  await expect.poll(() => discord.saidIn('50').at(-1)).toContain('Good morning')
  expect(discord.saidIn('50')).toEqual([expect.stringContaining('gave up'), expect.anything()])
})

test('who approves a whole plan is shown all that it runs', async () => {
  const ada = '80351110224671111'
  const input = { connector: 'discord', identity: ada, user: 'ada' }
  await story.as('ada').run(LinkIdentityDocument, { input })
  await using _connector = await connector()
  discord.write('60', STRANGER, 'Hello')
  await expect.poll(said('60')).toHaveLength(1)
  discord.write('60', ada, 'run: echo first\nrun: echo second')
  await expect.poll(said('60')).toHaveLength(2)
  expect(discord.saidIn('60').at(-1)).toContain('\necho first\necho second\n')
})

test('a person links their channel with a code, and the channel says so', async () => {
  const cleo = '80351110224679999'
  await using _connector = await connector()
  const { createLinkCode } = await story.as('cleo').run(CreateLinkCodeDocument)
  if (createLinkCode.__typename !== 'CreateLinkCodePayload') throw new Error(JSON.stringify(createLinkCode))
  discord.write('3', cleo, `/link ${createLinkCode.linkCode}`)
  await expect.poll(said('3')).toEqual(['From now on you are cleo here.'])
  discord.write('3', cleo, 'Good morning')
  await expect.poll(said('3')).toEqual([expect.anything(), expect.stringContaining('Good morning')])
})

const heardIn = (channel: string) => async () =>
  (await story.as('ben').session(`discord:${channel}`).history()).entries
    .filter(({ __typename }) => __typename === 'PersonMessage')
    .map(({ content }) => content)

/** What the connector complains about, instead of printing it. */
function complaints(): readonly unknown[] {
  const spy = vi.spyOn(console, 'error').mockReturnValue(undefined)
  onTestFinished(() => spy.mockRestore())
  return spy.mock.calls
}

test('a message that cannot be sent for now is sent later, and before the next', async () => {
  const complained = complaints()
  await using proxy = await TcpProxy.start(story.app.url)
  await using _connector = await connector({ url: proxy.through(story.app.url), patienceMs: 1 })
  discord.write('10', BEN, 'One')
  await expect.poll(heardIn('10')).toEqual(['One'])
  proxy.cut()
  discord.write('10', BEN, 'Two')
  await expect.poll(() => complained.length).toBeGreaterThan(0)
  proxy.restore()
  discord.write('10', BEN, 'Three')
  await expect.poll(heardIn('10')).toEqual(['One', 'Two', 'Three'])
})

test('what was missed is sent before what is written now, also when another channel is gone', async () => {
  complaints()
  const once = await connector()
  for (const channel of ['20', '21']) discord.write(channel, BEN, 'Begun')
  for (const channel of ['20', '21']) await expect.poll(said(channel)).toHaveLength(1)
  await once[Symbol.asyncDispose]()
  discord.write('21', BEN, 'Missed')
  discord.broken.set('20', 403)
  const { promise, resolve } = Promise.withResolvers<void>()
  discord.held.set('21', promise)
  await using _again = await connector()
  discord.write('21', BEN, 'Live')
  discord.write('22', BEN, 'Elsewhere')
  await expect.poll(said('22')).toHaveLength(1)
  resolve()
  await expect.poll(heardIn('21')).toEqual(['Begun', 'Missed', 'Live'])
})

test('what Discord does not take for now is posted later', async () => {
  const complained = complaints()
  await using _connector = await connector()
  discord.broken.set('30', 403)
  discord.write('30', BEN, 'Good morning')
  await expect.poll(() => complained.length).toBeGreaterThan(0)
  discord.broken.delete('30')
  await expect.poll(said('30')).toEqual([expect.stringContaining('Good morning')])
})
