/**
 * examples/react-chat in Chromium, through all that a page goes through: everything is there once, in both tabs. Two
 * edits of one fact by this client are in test/console/working-off.pg.test.ts.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { AppendMessageDocument, CreateTokenDocument, RevokeTokenDocument } from '../generated/graphql.ts'
import { approvalRules } from '../harness/approvals.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { lastingPort } from '../harness/lasting-port.ts'
import { StreamingModel } from '../console/streaming-model.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { send } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { ChatPages, type ChatTab } from './chat-pages.ts'
import { OFFLINE_MS } from './pages/offline-ms.ts'

const ID = 'cli:page'
const RULES = `[approvals]\nown_user_may_decide = true\n${approvalRules('effect = "require"\ncommand = "tee"')}`
/** Of the answer, the first quarter is written, and then the server dies. */
const LONG = 'A long answer. '.repeat(80)
const PIECES = [LONG.slice(0, 300), LONG.slice(300)]

async function tokenOfItsOwn(server: ServerProcess): Promise<string> {
  const input = { name: 'page', kind: 'USER', user: 'ada' } as const
  const { createToken: made } = await clientOf(server, 'ada').run(CreateTokenDocument, { input })
  if (made.__typename !== 'CreateTokenPayload') throw new Error(JSON.stringify(made))
  return made.secret
}

/** What a reader who comes now is shown. */
async function saidIn(server: ServerProcess): Promise<string[]> {
  const { entries } = await clientOf(server, 'ada').session(ID).history({ last: 100 })
  return entries.map(({ content }) => content)
}

/** Both tabs show each entry once, in order. */
async function untilRight(tabs: readonly ChatTab[], server: ServerProcess): Promise<void> {
  for (const tab of tabs) {
    await expect.poll(() => tab.button('Stop').count()).toBe(0)
    await expect.poll(async () => (await tab.entries()).map(([, text]) => text)).toEqual(await saidIn(server))
  }
}

test.skipIf(!hasBrowser)(`a chat over kill -9, without a network, in two tabs${withoutBrowser}`, async () => {
  await using model = await StreamingModel.start()
  await using cluster = await Cluster.begin({ config: { toml: `${RULES}\n${stubProvider(model)}` } })
  const first = await cluster.start({ env: { PORT: await lastingPort() } })
  const ada = clientOf(first, 'ada')
  const token = await tokenOfItsOwn(first)
  await ada.session(ID).open()
  for (let n = 1; n <= 35; n += 1)
    await ada.run(AppendMessageDocument, { input: { sessionId: ID, content: `Earlier ${n}` } })
  await using pages = await ChatPages.begin(first.url)
  const [one, two] = [await pages.enter(token, ID), await pages.enter(token, ID)]

  // An answer that is not Factotum's, such as of a proxy.
  await one.page.route('**/graphql', (route) =>
    route.request().postData()?.includes('query StoreOlder') === true
      ? route.fulfill({ body: 'not here', headers: { 'access-control-allow-origin': '*' } })
      : route.continue(),
  )
  await one.button('Earlier').click()
  await expect.poll(() => one.page.getByRole('alert').textContent()).toContain("is not Factotum's")
  await one.page.unroute('**/graphql')
  for (const tab of [one, two]) await tab.button('Earlier').click()
  await untilRight([one, two], first)

  const tooLong = 'x'.repeat(256 * 1024 + 1)
  await one.say(tooLong)
  await expect.poll(() => one.page.getByRole('alert').textContent()).toContain('256 KiB')
  await expect.poll(() => one.page.getByLabel('Message').inputValue()).toBe(tooLong)
  await untilRight([one, two], first)

  model.pieces = PIECES
  model.heldAfter = 1
  await one.say('A long question.')
  const streamed = async (): Promise<number> => {
    const [kind, text] = (await two.entries()).at(-1) ?? ['', '']
    return kind === 'agent' ? text.length : 0
  }
  await expect.poll(streamed, { interval: 20 }).toBeGreaterThan(200)
  await first.kill()
  expect(await streamed()).toBeLessThan(LONG.length / 2)
  await expect.poll(() => two.page.locator('footer').textContent()).toBe('offline')
  model.goOn()
  const second = await cluster.start({ env: { PORT: new URL(first.url).port } })
  await untilRight([one, two], second)

  model.pieces = ['It is done.']
  model.commands = ['echo done | tee approved']
  await two.say('Write it down.')
  // The page says what will run.
  const asked = one.page.locator('p', { hasText: 'echo done | tee approved' })
  await asked.getByRole('button', { name: 'Allow' }).click()
  await untilRight([one, two], second)
  await expect.poll(() => two.button('Allow').count()).toBe(0)

  await one.page
    .getByLabel('File')
    .setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
  const files = async () => (await clientOf(second, 'ada').session(ID).files()).map(({ name }) => name)
  await expect.poll(files).toContain('plan.txt')

  model.commands = ['sleep 60']
  await one.say('Wait.')
  await two.button('Stop').click()
  await untilRight([one, two], second)

  model.commands = []
  model.pieces = ['Meanwhile it is night.']
  await one.opened.context.setOffline(true)
  await one.say('From a tunnel')
  await send(clientOf(second, 'ada'), ID, 'Meanwhile')
  await expect.poll(async () => (await saidIn(second)).at(-1)).toContain('Meanwhile')
  await pause(OFFLINE_MS)
  await one.opened.context.setOffline(false)
  await expect.poll(async () => (await saidIn(second)).filter((text) => text === 'From a tunnel')).toHaveLength(1)
  await untilRight([one, two], second)
  expect([one, two].flatMap(({ opened }) => opened.problems)).toEqual([])

  await clientOf(second, 'ada').run(RevokeTokenDocument, { input: { name: 'page' } })
  for (const tab of [one, two]) await expect.poll(() => tab.page.getByRole('alert').count()).toBe(1)
})
