/** What people decide and set, worked off in the console by keys; and what each of two roles sees of it. */
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import {
  ApprovalsDocument,
  CreateFactDocument,
  FactOverTimeDocument,
  FactsDocument,
  LearningsDocument,
  SchedulesDocument,
  type LearningStatus,
} from '../generated/graphql.ts'
import { approvalRules } from '../harness/approvals.ts'
import { holdAsReplacing } from '../harness/hold-as-replacing.ts'
import { addExamplePlugin } from '../harness/plugins.ts'
import { addSkill } from '../harness/skills.ts'
import { converse, send, storyConfig } from '../harness/story.ts'
import { seedProposal } from '../contract/seed-knowledge.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleWorld, type Opened } from './console-world.ts'
import { PATIENCE } from '../harness/patience.ts'

const RULES = `[curation]\nadmin = "hold"\n${approvalRules('effect = "require"\ncommand = "tee"')}`
const COLOURS = 'red blue green black white grey pink brown gold silver'.split(' ')
const TAUGHT = ['lamp', 'door'].flatMap((thing) => COLOURS.map((colour) => `The ${thing} of the ${colour} room hums.`))

/** Its words stand from the left to the right as they run, and its lines stay lines. */
async function expectInOrder(command: Locator): Promise<void> {
  const places = await command.evaluate((shown) => {
    const texts = shown.ownerDocument.createTreeWalker(shown, 4)
    const found: number[] = []
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
      for (const { 0: word, index } of (text.textContent ?? '').matchAll(/[א-ת]+|[0-9]+/g)) {
        const range = shown.ownerDocument.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        found.push(range.getBoundingClientRect().left)
      }
    return found
  })
  expect(places).toHaveLength(4)
  expect(places.toSorted((a, b) => a - b)).toEqual(places)
  expect(await command.evaluate((shown) => shown.ownerDocument.defaultView?.getComputedStyle(shown).whiteSpace)).toBe(
    'pre-wrap',
  )
}

describe.skipIf(!hasBrowser)(`what waits for people${withoutBrowser}`, () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await ConsoleWorld.begin({ config: { toml: RULES } })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  async function countLearnings(...status: LearningStatus[]): Promise<number> {
    const { learnings } = await world.story.as('ada').run(LearningsDocument, { first: 100, filter: { status } })
    return learnings.edges.length
  }

  async function promotedTexts(): Promise<readonly string[]> {
    const filter = { status: ['PROMOTED' as const] }
    const { learnings } = await world.story.as('ada').run(LearningsDocument, { first: 100, filter })
    return learnings.edges.map(({ node }) => node.content)
  }

  async function factSaying(content: string): Promise<string> {
    const { createFact } = await world.story.as('ada').run(CreateFactDocument, { content })
    return createFact.__typename === 'CreateFactPayload' ? (createFact.fact?.id ?? '') : ''
  }

  async function press({ page }: Opened, ...keys: string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key)
  }

  /** Two keys that belong together: on a busy machine they would be too far apart one after the other. */
  async function goBy({ page }: Opened, key: string): Promise<void> {
    await Promise.all([page.keyboard.press('g'), page.keyboard.press(key)])
  }

  test('20 learnings are curated by keys alone, and all of it is undone', async () => {
    // A turn learns five things at most.
    for (let begin = 0; begin < 20; begin += 5) {
      const lines = TAUGHT.slice(begin, begin + 5).map((text) => `learn: ${text}`)
      await converse(world.story.as('ada'), 'cli:teach', lines.join('\n'))
    }
    await vi.waitFor(async () => expect(await countLearnings('PENDING')).toBe(20), PATIENCE)
    await using opened = await world.open('ada', { path: '/memory' })
    const { page } = opened
    await page.getByRole('article').first().waitFor()
    for (let n = 0; n < 10; n += 1) await press(opened, 'p', ...(n < 9 ? ['d'] : []))
    await press(opened, 'a')
    expect(await page.getByLabel('The question').inputValue()).toMatch(/^Is this true\? The .* hums\.$/)
    await page.getByLabel('The question').fill('Does it hum?')
    await press(opened, 'Tab', 'Tab', 'Enter')
    // It stays until the question is stored, and takes the keys meanwhile.
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByText('Nothing waits here').waitFor()
    const decided = async (): Promise<number[]> =>
      Promise.all([countLearnings('PROMOTED'), countLearnings('DISCARDED'), countLearnings('ASKED')])
    await vi.waitFor(async () => expect(await decided()).toEqual([10, 9, 1]), PATIENCE)
    for (let n = 0; n < 20; n += 1) await press(opened, 'u')
    await vi.waitFor(async () => expect(await countLearnings('PENDING')).toBe(20), PATIENCE)
    const { facts } = await world.story.as('ada').run(FactsDocument, { first: 100 })
    expect(facts.edges).toEqual([])
    await page.locator('[aria-setsize="20"]').first().waitFor()
  })

  test('what is alike is decided together; what one user taught is promoted for everybody', async () => {
    const gate = 'The gate of the north yard is locked at night'
    await converse(world.story.as('ada'), 'cli:gate', `learn: ${gate}.`)
    await converse(world.story.as('ada'), 'cli:gate', `learn: ${gate} by Tom.`)
    await converse(world.story.as('ada'), 'cli:gate', 'learn: The latch of the hatch takes key 8080.')
    await converse(world.story.as('ada'), 'cli:gate', 'learn: The latch of the hatch takes key 8081.')
    await converse(world.story.as('ben'), '@ben:teaches', 'learn: Ben drinks tea in the morning.')
    await using opened = await world.open('ada', { path: '/memory' })
    const { page } = opened
    const tea = page.getByRole('article', { name: 'Ben drinks tea in the morning.' })
    await tea.getByText('for ben alone').waitFor()
    await tea.focus()
    await press(opened, 'w')
    await tea.waitFor({ state: 'hidden' })
    await page.getByLabel('Which').selectOption('alike')
    // What is chosen stands in the address.
    await page.reload()
    expect(await page.getByLabel('Which').inputValue()).toBe('alike')
    const group = page.getByRole('article', { name: `${gate} by Tom.` })
    await group.focus()
    await press(opened, 'p')
    await group.waitFor({ state: 'hidden' })
    const contradicting = page.getByRole('article', { name: 'The latch of the hatch takes key' })
    await contradicting.focus()
    await press(opened, 'p')
    await page.getByRole('status').getByText('Decide them one by one').first().waitFor()
    expect(await contradicting.getByRole('button', { name: 'Promote one' }).count()).toBe(0)
    const { facts } = await world.story.as('ada').run(FactsDocument, { first: 100 })
    const known = facts?.edges.map(({ node }) => node.content) ?? []
    expect(known).toContain(`${gate} by Tom.`)
    expect(known).not.toContain(`${gate}.`)
    expect(known.filter((fact) => fact.startsWith('The latch'))).toEqual([])
    await page.goto(`${world.url}/#/memory/facts`)
    await page.getByRole('article', { name: 'Ben drinks tea in the morning.' }).getByRole('button').click()
    const fact = page.getByRole('region', { name: 'The fact' })
    await fact.getByText('for everybody').waitFor()
    await press(opened, 'w')
    await page.getByLabel('Shown to').selectOption('USER')
    await page.getByLabel('The user').fill('ben')
    await page.getByLabel('The user').press('Enter')
    await fact.getByText('for ben alone').waitFor()
  })

  test('what waits as it would replace a fact is decided so by keys, and shows which fact', async () => {
    const ada = world.story.as('ada')
    const [old, now] = ['The bell of the north yard hangs low.', 'Somewhere high up since June.']
    const [factId, alike] = [await factSaying(old), 'A bell hangs in the south yard.']
    const alikeId = await factSaying(alike)
    await converse(ada, 'cli:bell', `learn: ${now}`)
    await holdAsReplacing(world.story.databaseUrl, { content: now, factId, alikeIds: [alikeId] })
    await using opened = await world.open('ada', { path: '/memory' })
    const { page } = opened
    const card = page.getByRole('article', { name: now })
    await card.getByText('would be replaced').waitFor()
    expect(await card.locator('.button-main').allInnerTexts()).toEqual(['Replace'])
    // The key that promotes another one asks here, and so do those that promote otherwise.
    const place = page.getByLabel('In the place of')
    for (const key of ['p', 'w', 'e', 'r']) {
      await card.focus()
      await press(opened, key)
      expect(await place.locator('option').allInnerTexts()).toEqual([
        old,
        `${alike} (the fact that it would replace is kept)`,
        'No fact: both are kept',
      ])
      expect(await place.inputValue()).toBe(factId)
      if (key === 'r') break
      await press(opened, 'Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    }
    // The next key comes before the page hears of the close.
    await page.evaluate(async () => {
      document.querySelector<HTMLDialogElement>('dialog[open]')?.requestClose()
      await Promise.resolve()
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'r', bubbles: true }))
    })
    await page.getByRole('dialog').waitFor()
    expect(await place.inputValue()).toBe(factId)
    await press(opened, 'Tab', 'Tab', 'Tab', 'Enter')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const fact = async (id = factId) => (await ada.run(FactOverTimeDocument, { id })).node
    expect(await fact()).toMatchObject({ invalidatedAt: expect.any(String), replacedBy: { content: now } })
    await press(opened, 'u')
    await card.focus()
    await press(opened, 'r')
    await place.selectOption(alikeId)
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await fact(alikeId)).toMatchObject({ replacedBy: { content: now } })
    expect(await fact()).toMatchObject({ invalidatedAt: null })
    await press(opened, 'u')
    await card.getByRole('button', { name: 'Keep both' }).press('Enter')
    await card.waitFor({ state: 'hidden' })
    await vi.waitFor(async () => expect(await promotedTexts()).toContain(now), PATIENCE)
    expect(await fact()).toMatchObject({ invalidatedAt: null, replacedBy: null })
  })

  test('what was decided is listed with the decided, and with what waits when it is opened again', async () => {
    const text = 'The owl of the west yard sleeps at noon.'
    await converse(world.story.as('ada'), 'cli:owl', `learn: ${text}`)
    await using opened = await world.open('ada', { path: '/memory' })
    const { page } = opened
    const card = page.getByRole('article', { name: text })
    await card.focus()
    await press(opened, 'd')
    await card.waitFor({ state: 'hidden' })
    await page.getByLabel('Which').selectOption('decided')
    await card.getByRole('button', { name: 'Open again' }).click()
    await card.waitFor({ state: 'hidden' })
    await page.getByLabel('Which').selectOption('waiting')
    await card.waitFor()
    expect(await card.count()).toBe(1)
  })

  test('facts are opened by keys alone, also after a click on their tab', async () => {
    const content = 'The kettle stands in the hall.'
    await factSaying(content)
    await using opened = await world.open('ada', { path: '/memory' })
    const { page } = opened
    await page.getByRole('tab', { name: 'Facts' }).click()
    await page.getByRole('article', { name: content }).waitFor()
    await press(opened, 'ArrowDown', 'ArrowUp', 'Enter')
    await page.getByRole('region', { name: 'The fact' }).waitFor()
    expect(page.url()).toContain('/memory/facts/')
  })

  test('a fact that is edited in two tabs: the second one is shown what the first has made of it', async () => {
    const id = await factSaying('The shop opens at nine.')
    await using one = await world.open('ada', { path: `/memory/facts/${id}` })
    await using two = await world.open('ada', { path: `/memory/facts/${id}` })
    for (const { page } of [one, two]) {
      await page.getByRole('button', { name: 'Edit' }).waitFor()
      await page.keyboard.press('e')
    }
    await one.page.getByLabel('What it says').fill('The shop opens at ten.')
    await one.page.getByRole('button', { name: 'Save' }).click()
    await one.page.getByRole('dialog').waitFor({ state: 'hidden' })
    await two.page.getByLabel('What it says').fill('The shop opens at eleven.')
    await two.page.getByRole('button', { name: 'Save' }).click()
    await two.page.getByRole('button', { name: 'Save over that' }).waitFor()
    expect(await two.page.locator('.dialog del').textContent()).toBe('ten')
    await two.page.getByRole('button', { name: 'Save over that' }).click()
    await one.page.getByText('Back to version 2').waitFor()
  })

  test('a proposal shows before and after, is accepted, undone and kept by keys alone', async () => {
    const ada = world.story.as('ada')
    const texts = ['The ferry of Bergen leaves pier 7.', 'The ferry of Bergen leaves from pier 7 at noon.']
    const factIds: string[] = []
    for (const content of texts) {
      const { createFact } = await ada.run(CreateFactDocument, { content })
      factIds.push(createFact.__typename === 'CreateFactPayload' ? (createFact.fact?.id ?? '') : '')
    }
    const content = 'At noon the ferry of Bergen leaves from pier 7.'
    const logger = createLogger({ level: 'silent', pretty: false })
    const database = new Database({ url: world.story.databaseUrl, maxConnections: 1, logger })
    await seedProposal(database, { factIds, content })
    await database.close()
    await using opened = await world.open('ada', { path: '/memory/proposals' })
    const { page } = opened
    await page.getByText(content).waitFor()
    const inUse = async (): Promise<readonly string[]> => {
      const { facts } = await ada.run(FactsDocument, { first: 100, filter: { search: 'ferry' } })
      return facts.edges.map(({ node }) => node.content)
    }
    await press(opened, 'e')
    const edited = `${content} Be early.`
    await page.getByLabel('What the one fact says').fill(edited)
    expect(await page.locator('.dialog .diff').last().locator('ins').last().textContent()).toContain('early')
    await page.getByRole('button', { name: 'Accept in these words' }).press('Enter')
    await page.getByText('Nothing is proposed').waitFor()
    await page.getByText('One proposal accepted.').waitFor()
    expect(await inUse()).toEqual([edited])
    await press(opened, 'u')
    await page.getByText('The facts are as they were.').waitFor()
    expect((await inUse()).toSorted()).toEqual(texts.toSorted())
    await page.getByLabel('Which').selectOption('decided')
    await page.getByText('undone').waitFor()
  })

  test('what was accepted together is undone together, also when it cannot be undone at first', async () => {
    const ada = world.story.as('ada')
    const logger = createLogger({ level: 'silent', pretty: false })
    const database = new Database({ url: world.story.databaseUrl, maxConnections: 1, logger })
    const texts = ['The tram of Graz stops here.', 'The tram of Linz stops there.']
    for (const content of texts) {
      const { createFact } = await ada.run(CreateFactDocument, { content })
      const factIds = createFact.__typename === 'CreateFactPayload' ? [createFact.fact?.id ?? ''] : []
      await seedProposal(database, { factIds, content: `${content} Always.` })
    }
    await database.close()
    const inUse = async (): Promise<readonly string[]> => {
      const { facts } = await ada.run(FactsDocument, { first: 100, filter: { search: 'tram' } })
      return facts.edges.map(({ node }) => node.content).toSorted()
    }
    await using opened = await world.open('ada', { path: '/memory/proposals', isRouted: true })
    const { page } = opened
    await page.getByText(`${texts[1]} Always.`).first().waitFor()
    await page.getByRole('article').first().focus()
    await press(opened, 'x', 'ArrowDown', 'x', 'a')
    await page.getByText('2 proposals accepted.').waitFor()
    expect(await inUse()).toEqual(texts.map((text) => `${text} Always.`))
    const refused = { __typename: 'ConflictRefusal', code: 'CONFLICT', problem: 'Not now.' }
    let isFirst = true
    await page.route('**/graphql', (route) => {
      const isRefused = isFirst && route.request().postData()?.includes('undoChange') === true
      if (!isRefused) return route.fallback()
      isFirst = false
      return route.fulfill({ contentType: 'application/json', body: JSON.stringify({ data: { undoChange: refused } }) })
    })
    await press(opened, 'u')
    await page.getByText('Not now.').first().waitFor()
    await page.getByText('1 of 2 undone.').waitFor()
    expect(await inUse()).toHaveLength(2)
    await press(opened, 'u')
    await page.getByText('The facts are as they were.').waitFor()
    expect(await inUse()).toEqual(texts)
  })

  test('a whole plan: with what its calls are made with, and what hides in its commands', async () => {
    const id = 'cli:strangers-wrote'
    const manifest = '[kiso.skill.args]\nword = { type = "string", required = true, description = "The word." }\n'
    addSkill(world.story.home, 'mark', { manifest, files: { 'run.js': '' } })
    await world.story.as('bridge').session(id).send('Hello', { user: 'Mallory' })
    const hidden = 'run: echo \u202Etxt\u200B\u00A0x'
    const turned = 'run: cp גד אב 12 הו'
    await send(world.story.as('ada'), id, `skill: mark {"word": "first"}\n${hidden}\n${turned}`)
    const shown = ['mark {"word":"first"}', 'echo \uFFFDtxt\uFFFD\uFFFDx', 'cp גד אב 12 הו']
    await using opened = await world.open('ada', { path: '/approvals' })
    const { page } = opened
    const steps = page.locator('.approval-plan li')
    await steps.first().waitFor()
    expect((await steps.allInnerTexts()).slice(0, 3)).toEqual(shown)
    await expectInOrder(steps.nth(2))
    await page.goto(`${world.url}/#/sessions/${encodeURIComponent(id)}`)
    const card = page.getByRole('region', { name: 'Approval', exact: true })
    await card.waitFor()
    expect((await card.locator('li').allInnerTexts()).slice(0, 3)).toEqual(shown)
    await expectInOrder(card.locator('li').nth(2))
    await card.getByRole('button', { name: 'Deny' }).click()
    await card.waitFor({ state: 'hidden' })
  })

  test('approvals: one is approved, one denied with a word, one edited; who decided is kept', async () => {
    const ada = world.story.as('ada')
    for (const name of ['one', 'two', 'three']) {
      await send(ada, `cli:${name}`, `run: echo ${name} | tee ${name}.txt`)
      await vi.waitFor(async () => expect(await waiting(name)).toHaveLength(1), PATIENCE)
    }
    await using opened = await world.open('ada', { path: '/approvals' })
    const { page } = opened
    await page.locator('.approval-code', { hasText: 'echo three' }).waitFor()
    // The way to this page approves nothing.
    await goBy(opened, 'a')
    expect(await waiting('one')).toHaveLength(1)
    await press(opened, 'a')
    await page.getByRole('article', { name: 'echo one' }).waitFor({ state: 'hidden' })
    await press(opened, 'd')
    await page.getByLabel('Reason').fill('Not today.')
    await press(opened, 'Enter')
    await page.getByRole('article', { name: 'echo two' }).waitFor({ state: 'hidden' })
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await press(opened, 'e')
    await page.getByLabel('Command').fill('echo four | tee three.txt')
    expect(await page.locator('.dialog ins').textContent()).toBe('four')
    await page.getByRole('button', { name: 'Approve the changed one' }).press('Enter')
    await page.getByText('Nothing waits for a decision').waitFor()
    await page.getByRole('tab', { name: 'Decided' }).click()
    await page.getByText('“Not today.”').waitFor()
    await page.locator('.approval-code', { hasText: 'echo four' }).waitFor()
    expect(await page.getByText(/^ada · (now|\d+ min ago)/).count()).toBeGreaterThanOrEqual(3)
  })

  test('approvals: after a key that did not reach the server, the same key means the same row', async () => {
    const ada = world.story.as('ada')
    for (const word of ['five', 'six']) await send(ada, `cli:asked-${word}`, `run: echo ${word} | tee ${word}.txt`)
    await using opened = await world.open('ada', { path: '/approvals', allowed: /Failed to load/, isRouted: true })
    const { page } = opened
    const row = (word: string) => page.locator('.pick-row', { hasText: `echo ${word}` })
    await row('six').waitFor()
    await row('five').click({ position: { x: 2, y: 2 } })
    await expect.poll(() => row('five').getAttribute('aria-current')).toBe('true')
    await page.route('**/graphql', (route) => route.abort())
    await page.keyboard.press('a')
    await page.getByText('The server did not answer').waitFor()
    await row('five').waitFor()
    await expect.poll(() => row('five').getAttribute('aria-current')).toBe('true')
    await page.unroute('**/graphql')
    await page.keyboard.press('a')
    await row('five').waitFor({ state: 'detached' })
    expect(await row('six').count()).toBe(1)
    await page.keyboard.press('a')
    await page.getByText('Nothing waits for a decision').waitFor()
  })

  test('approvals in their session: edited, approved and denied by keys, where the conversation is', async () => {
    const ada = world.story.as('ada')
    await converse(ada, 'cli:inside', 'Hello')
    await using opened = await world.open('ada', { path: '/sessions/cli:inside' })
    const { page } = opened
    await page.locator('.entry-agent').waitFor()
    // It is there before there is something to read out.
    const announced = page.locator('.session-talk > [aria-live="polite"]')
    await announced.waitFor({ state: 'attached' })
    for (const name of ['red', 'blue', 'grey']) await send(ada, 'cli:inside', `run: echo ${name} | tee ${name}.txt`)
    await announced.filter({ hasText: '1 approval needed' }).waitFor({ state: 'attached' })
    const card = page.getByRole('region', { name: 'Approval', exact: true })
    await card.getByText('echo red').waitFor()
    await press(opened, 'e')
    await page.getByLabel('Command').fill('echo green | tee red.txt')
    expect(await card.locator('ins').textContent()).toBe('green')
    await press(opened, 'Tab', 'Tab', 'Enter')
    await card.getByText('echo blue').waitFor()
    await page.locator('.entry-agent', { hasText: 'green' }).waitFor()
    // What is typed is no key.
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.pressSequentially('ad')
    await card.getByText('echo blue').waitFor()
    await message.fill('')
    await message.blur()
    await press(opened, 'a')
    await card.getByText('echo grey').waitFor()
    await card.getByLabel('Note for the planner').fill('Grey is no colour.')
    await card.getByRole('button', { name: 'Deny' }).press('Enter')
    await card.waitFor({ state: 'hidden' })
    await page.getByText('Grey is no colour.').first().waitFor()
    await page.getByLabel('Steps').getByText('complete').waitFor()
    expect(await page.getByText('echo grey').count()).toBeGreaterThan(0)
  })

  async function waiting(name: string): Promise<readonly unknown[]> {
    const filter = { sessionId: `cli:${name}`, status: ['PENDING' as const] }
    return (await world.story.as('ada').run(ApprovalsDocument, { filter })).approvals.edges
  }

  test('a schedule is made while its next times are shown, is triggered, and shows its run', async () => {
    await using opened = await world.open('ben', { path: '/schedules' })
    const { page } = opened
    await page.getByRole('heading', { name: 'No schedules here' }).waitFor()
    await press(opened, 'n')
    await page.getByLabel('Name').fill('Morning report')
    await page.getByLabel('Message that is sent').fill('What is new?')
    await page.getByLabel('Cron expression').fill('0 25 * * *')
    await page.getByText('The hour "25"').waitFor()
    await page.getByLabel('Cron expression').fill('30 6 * * *')
    await expect.poll(() => page.locator('.schedule-firings li').count()).toBe(5)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('link', { name: 'Morning report' }).waitFor()
    await press(opened, 't')
    await page.getByText('done', { exact: true }).waitFor()
    await press(opened, 'p')
    await page.getByText('paused', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Go on' }).press('Enter')
    await page.getByText('paused', { exact: true }).waitFor({ state: 'hidden' })
    await page.getByRole('article', { name: 'Morning report' }).focus()
    await press(opened, 'Enter')
    await page.getByText('triggered').first().waitFor()
    await page.getByText('You wrote:').waitFor()
  })

  test('a single run counts in the time zone of the page that it was made on', async () => {
    await using opened = await world.open('ben', { path: '/schedules', timeZone: 'Asia/Tokyo' })
    const { page } = opened
    await page.getByRole('button', { name: 'New schedule' }).first().click()
    await page.getByLabel('Name').fill('Reminder')
    await page.getByLabel('Message that is sent').fill('What is due today?')
    await page.getByLabel('When').selectOption('once')
    await page.getByLabel('At (your time)').fill('2100-01-01T09:00')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('link', { name: 'Reminder' }).waitFor()
    const { schedules } = await world.story.as('ben').run(SchedulesDocument)
    const reminder = schedules.edges.find(({ node }) => node.name === 'Reminder')
    expect(reminder?.node).toMatchObject({ runAt: '2100-01-01T00:00:00.000Z', timeZone: 'Asia/Tokyo' })
  })

  test('plugins: one is switched on, its tool is called in a chat, and it is switched off again', async () => {
    addExamplePlugin(world.story.home, 'clock')
    await using opened = await world.open('ada', { path: '/plugins' })
    const { page } = opened
    const row = page.getByRole('article', { name: 'clock' })
    await row.getByText('disabled').waitFor()
    await row.focus()
    await press(opened, 'o')
    await row.getByText('ready').waitFor()
    await page.getByRole('tab', { name: 'Tools and skills' }).click()
    await page.getByText('clock__now').waitFor()

    await goBy(opened, 's')
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await press(opened, 'n')
    await page.getByLabel('How it works').selectOption('CHAT')
    await page.getByRole('button', { name: 'Open session' }).press('Enter')
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.fill('think: **Where** are they?\ntool: clock__now {"zone":"Asia/Tokyo"}\nWhat time is it?')
    await message.press('Enter')
    await page.locator('.entry-agent[aria-busy="false"]', { hasText: 'What time is it?' }).waitFor()
    const thought = page.getByText('Thought', { exact: true })
    expect(await page.getByText('Where are they?').count()).toBe(0)
    await thought.press('Enter')
    await page.locator('.thought').getByText('are they?').waitFor()
    const call = page.locator('.task', { hasText: 'clock__now' })
    await call.locator('summary').press('Enter')
    expect(await call.getByLabel('Arguments').innerText()).toBe('{\n  "zone": "Asia/Tokyo"\n}')
    await expect.poll(() => call.getByRole('region', { name: 'Output' }).innerText()).toContain(' at ')

    // The same by the form that is made of its schema.
    await page.goto(`${world.url}/#/plugins/tools`)
    await page.getByRole('button', { name: 'Try clock__now' }).press('Enter')
    await page.getByRole('dialog').getByLabel('zone').fill('Europe/Paris')
    await page.getByRole('dialog').getByLabel('zone').press('Enter')
    const shown = page.getByRole('dialog', { name: 'The call of clock__now' })
    await shown.getByLabel('Arguments').getByText('Europe/Paris').waitFor()
    await shown.getByRole('region', { name: 'Output' }).getByText(' at ').waitFor()
    // No model was asked; what was typed is there for another call, which fails.
    await shown.getByText('0 calls').waitFor()
    await shown.getByRole('button', { name: 'Call it again' }).press('Enter')
    const zone = page.getByRole('dialog').getByLabel('zone')
    expect(await zone.inputValue()).toBe('Europe/Paris')
    await zone.fill('Nowhere')
    await zone.press('Enter')
    await shown.getByRole('region', { name: 'Errors' }).waitFor()
    await shown.getByText('The call of clock__now failed.').waitFor()
    // One that a rule wants to be approved waits for that, in its place.
    const rule = approvalRules('effect = "require"\ntool = "clock__now"')
    await world.story.reconfigure(storyConfig({ toml: `${RULES}${rule}` }))
    await shown.getByRole('button', { name: 'Call it again' }).press('Enter')
    await zone.fill('Asia/Tokyo')
    await zone.press('Enter')
    await shown.getByRole('button', { name: 'Approve', exact: true }).press('Enter')
    await shown.getByRole('region', { name: 'Output' }).getByText(' at ').waitFor()
    await world.story.reconfigure(storyConfig({ toml: RULES }))
    await shown.getByRole('link', { name: 'Its session' }).press('Enter')
    await page.getByRole('heading', { name: 'A call of clock__now' }).waitFor()
    await page.locator('.entry-said', { hasText: '{"zone":"Asia/Tokyo"}' }).waitFor()

    await page.goto(`${world.url}/#/plugins`)
    await row.getByRole('button', { name: 'Switch off' }).press('Enter')
    await row.getByText('disabled').waitFor()
    await page.getByRole('tab', { name: 'Tools and skills' }).click()
    await page.getByText('clock__now').waitFor({ state: 'hidden' })
  })

  test('a user and an admin side by side: each has the pages and buttons that are theirs', async () => {
    const path = `/sessions/${encodeURIComponent('@ben:asks')}`
    await send(world.story.as('ben'), '@ben:asks', 'run: echo ben | tee ben.txt')
    await using bens = await world.open('ben', { path: '/approvals' })
    const { page } = bens
    await page.locator('.approval-code', { hasText: 'echo ben' }).waitFor()
    await press(bens, 'x', 'a', 'd', 'e')
    await page.locator('.pick-picked').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.getByRole('button', { name: /Approve|Deny|Edit/ }).count()).toBe(0)
    expect(await page.getByRole('article').getByText('Others decide this.').count()).toBe(1)
    const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    expect(await pages.allInnerTexts()).toEqual(['Sessions', 'Approvals', 'Memory', 'Schedules', 'Server'])
    for (const closed of ['usage', 'audit', 'plugins', 'people']) {
      await page.goto(`${world.url}/#/${closed}`)
      await page.getByText('There is no such page').waitFor()
    }
    // Of what is known he sees what he is shown, and may say that it is wrong.
    await page.goto(`${world.url}/#/memory`)
    await page.getByRole('article', { name: 'The shop opens at eleven.' }).getByRole('button').click()
    expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Facts'])
    await page.getByRole('button', { name: 'This is wrong' }).press('Enter')
    expect(await page.getByRole('button', { name: /Edit|Take out|Whom/ }).count()).toBe(0)
    await page.getByLabel('What is wrong with it').fill('It opens at noon.')
    await page.getByRole('button', { name: 'Say so' }).press('Enter')
    await page.getByText('The admins are asked.').waitFor()
    await page.goto(`${world.url}/#${path}`)
    await page.getByText('Others decide this.').waitFor()
    await using adas = await world.open('ada', { path })
    await adas.page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await press(adas, 'a')
    for (const one of [adas.page, page]) {
      await one.getByRole('region', { name: 'Approval', exact: true }).waitFor({ state: 'hidden' })
      await one.locator('.entry-agent', { hasText: 'ben' }).waitFor()
    }
    await adas.page.getByText('Model calls').waitFor()
    expect(await page.getByText('Model calls').count()).toBe(0)
    await page.getByRole('tab', { name: 'Details' }).click()
    await page.getByText('Participants').waitFor()
    // Another user's session is not there for him, not even its name.
    await page.goto(`${world.url}/#/sessions/${encodeURIComponent('cli:one')}`)
    await page.getByText('This session is not here').waitFor()
  })
})
