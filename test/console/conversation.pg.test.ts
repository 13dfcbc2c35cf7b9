/** A conversation on its page: what is new stays in sight while its end is, and is read as it was written. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_CONTENT_BYTES } from '../../src/intake/message/message-content.ts'
import { AppendMessageDocument, OpenSessionDocument } from '../generated/graphql.ts'
import { approvalRules } from '../harness/approvals.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleWorld, SERVER_AWAY } from './console-world.ts'

const ID = 'cli:long'
/** Of the page's socket, which counts as lost when the clock leaps over it. */
const PING_EVERY_MS = 15_000

describe.skipIf(!hasBrowser)(`a long conversation${withoutBrowser}`, () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await ConsoleWorld.begin({ config: { toml: approvalRules('effect = "require"\ncommand = "rm"') } })
    for (let line = 1; line <= 20; line++) await append(`Line ${line}`)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('what was said last stays in sight when an approval takes a part of the page', async () => {
    await using opened = await world.open('ada', { path: `/sessions/${encodeURIComponent(ID)}` })
    const { page } = opened
    await page.getByText('Line 20').waitFor()
    await say(page, 'run: rm -f nothing')
    const card = page.getByRole('region', { name: 'Approval', exact: true })
    await card.getByRole('list', { name: 'Keys' }).waitFor()
    expect(await card.locator('kbd').allInnerTexts()).toEqual(['a', 'd', 'e'])
    await expect.poll(() => hiddenBelow(page, 'run: rm -f nothing')).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.locator('.entry-agent', { hasText: 'Rehearsal' }).waitFor()
    await expect.poll(() => hiddenBelow(page, 'ended with exit code 0')).toBeLessThanOrEqual(0)
  })

  test('what a delegated task waits for is decided where the conversation is', async () => {
    await using opened = await world.blank()
    const { page } = opened
    let reads = 0
    page.on('request', (request) => {
      if (request.postData()?.includes('query ApprovalsBelow') === true) reads += 1
    })
    await page.clock.install()
    await world.logIn(opened, 'ada')
    await page.goto(`${world.url}/#/sessions/cli:delegating`)
    const task = { task: 'run: rm -f nothing', expect: 'An answer.' }
    await say(page, `tool: delegation__delegate ${JSON.stringify(task)}`)
    const card = page.getByRole('region', { name: 'Approval', exact: true })
    await card.getByText('rm -f nothing').waitFor()
    const why = page.getByRole('region', { name: 'Why it waits' }).getByText('A decision is waited for there')
    expect(await why.innerText()).not.toContain('appr_')
    // What is asked there comes by an update: nothing is read again as time goes by.
    const before = reads
    await page.clock.fastForward(PING_EVERY_MS / 3)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    expect(reads).toBe(before)
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.waitFor({ state: 'hidden' })
    const answer = page.locator('.entry-agent', { hasText: 'Rehearsal' })
    await expect.poll(() => answer.innerText()).toContain('delegation__delegate')
  })

  test('who reads further up stays there while others speak, and is at the end after speaking', async () => {
    await using opened = await world.open('ada', { path: `/sessions/${encodeURIComponent(ID)}` })
    const { page } = opened
    await page.getByText('Line 20').waitFor()
    await page.getByText('Line 20').hover()
    await page.mouse.wheel(0, -100_000)
    const first = page.getByText('Line 1', { exact: true })
    await first.waitFor()
    await append('From elsewhere')
    await page.getByRole('button', { name: 'To the newest' }).waitFor()
    expect(await first.isVisible()).toBe(true)
    await say(page, 'From here')
    await page.locator('.talk-entry', { hasText: 'From here' }).first().waitFor()
    await expect.poll(() => hiddenBelow(page, 'From here')).toBeLessThanOrEqual(0)
  })

  test('what a command has printed is read in its lines', async () => {
    const id = 'cli:lines'
    await world.story.as('ada').run(AppendMessageDocument, {
      input: { sessionId: id, role: 'ASSISTANT', content: 'Printed:\none.txt\ntwo.txt' },
    })
    await using opened = await world.open('ada', { path: `/sessions/${encodeURIComponent(id)}` })
    const entry = opened.page.locator('.entry-agent')
    await entry.getByText('two.txt').waitFor()
    expect(await entry.innerText()).toContain('Printed:\none.txt\ntwo.txt')
  })

  test('the files of a message are shown with it, at once and to whom opens the page later', async () => {
    await using opened = await world.open('ada', { path: `/sessions/${encodeURIComponent(ID)}` })
    const { page } = opened
    const buffer = Buffer.from('Tuesday')
    await page.getByLabel('Files', { exact: true }).setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer })
    await page.getByRole('button', { name: 'Leave out plan.txt' }).waitFor()
    await say(page, 'What does the plan say?')
    const shown = page.locator('.entry-person', { hasText: 'What does the plan say?' }).getByText('plan.txt')
    await shown.waitFor()
    await page.reload()
    await shown.waitFor()
    expect(await shown.isVisible()).toBe(true)
  })

  test('a message that is sent while its files are on their way waits for them, and goes out with them', async () => {
    await using opened = await world.open('ada', { path: `/sessions/${encodeURIComponent(ID)}`, isRouted: true })
    const { page } = opened
    const begun = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await page.route('**/files/**', async (route) => {
      begun.resolve()
      await held.promise
      await route.continue()
    })
    const buffer = Buffer.from('Tuesday')
    const files = page.locator('.composer').getByLabel('Files', { exact: true })
    await files.setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer })
    await begun.promise
    await say(page, 'And what does this plan say?')
    await page.getByText('Goes out once its files are there').waitFor()
    held.resolve()
    const entry = page.locator('.entry-person', { hasText: 'And what does this plan say?' })
    await entry.getByText('plan.txt').waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('')
    await page.getByText('Goes out once its files are there').waitFor({ state: 'detached' })
  })

  test('a message that waits for its files goes out as it was sent, whatever key is pressed meanwhile', async () => {
    await using opened = await world.open('ada', { path: '/sessions/cli:recalled', isRouted: true })
    const { page } = opened
    const message = page.getByRole('textbox', { name: 'Message' })
    for (const text of ['First question', 'Second question']) {
      await say(page, text)
      await page.locator('.entry-person', { hasText: text }).waitFor()
    }
    const held = Promise.withResolvers<void>()
    await page.route('**/files/**', async (route) => {
      await held.promise
      await route.continue()
    })
    const buffer = Buffer.from('Tuesday')
    await page.getByLabel('Files', { exact: true }).setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer })
    await message.press('ArrowUp')
    await message.press('Enter')
    await page.getByText('Goes out once its files are there').waitFor()
    await message.press('ArrowUp')
    expect(await message.inputValue()).toBe('Second question')
    held.resolve()
    const sent = page.locator('.entry-person', { hasText: 'plan.txt' })
    await sent.waitFor()
    expect(await sent.innerText()).toContain('Second question')
  })

  test('a message whose file does not arrive stays where it is written, and the page says why', async () => {
    await using opened = await world.open('ada', {
      path: '/sessions/cli:lost-upload',
      allowed: /Failed to load/,
      isRouted: true,
    })
    const { page } = opened
    const begun = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await page.route('**/files/**', async (route) => {
      begun.resolve()
      await held.promise
      await route.fulfill({ status: 413, json: { problem: 'It is too large.' } })
    })
    const buffer = Buffer.from('Tuesday')
    await page.getByLabel('Files', { exact: true }).setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer })
    await begun.promise
    await say(page, 'What does the plan say?')
    held.resolve()
    await page.getByText('Not sent, because this did not arrive: plan.txt').waitFor()
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('What does the plan say?')
    expect(await page.locator('.entry-person').count()).toBe(0)
  })

  test('a file that is left out on its way is sent no further, and is not taken for the next of its name', async () => {
    await using opened = await world.open('ada', {
      path: '/sessions/cli:left-out',
      allowed: /Failed to load/,
      isRouted: true,
    })
    const { page } = opened
    const held: (() => void)[] = []
    await page.route('**/files/**', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve))
      await route.continue().catch(() => {})
    })
    const plan = { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('Tuesday') }
    await page.getByLabel('Files', { exact: true }).setInputFiles(plan)
    await expect.poll(() => held.length).toBe(1)
    const given = page.waitForEvent('requestfailed', (request) => request.url().includes('/files/'))
    await page.getByRole('button', { name: 'Leave out plan.txt' }).click()
    await given
    await page.getByLabel('Files', { exact: true }).setInputFiles(plan)
    await expect.poll(() => held.length).toBe(2)
    held[0]?.()
    await page.getByText('on its way').waitFor()
    held[1]?.()
    await page.locator('.composer').getByText('7 B').waitFor()
  })

  test('a message that was sent without a network is there after a reload, and arrives once', async () => {
    await using opened = await world.open('ada', { path: '/sessions/cli:unsent', allowed: SERVER_AWAY, isRouted: true })
    const { page } = opened
    const begun = Promise.withResolvers<void>()
    await page.getByText('Nothing was said yet').waitFor()
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('mutation SendMessage') !== true) return route.continue()
      begun.resolve()
      await route.abort('internetdisconnected')
    })
    await say(page, 'From the train')
    await begun.promise
    const sent = page.locator('.entry-person', { hasText: 'From the train' })
    await page.reload()
    await sent.getByText('The page was left').waitFor()
    await page.unroute('**/graphql')
    await sent.getByRole('button', { name: 'Send again' }).click()
    await page.locator('.entry-agent').waitFor()
    await page.reload()
    await page.locator('.entry-agent').waitFor()
    expect([await sent.count(), await page.getByText('The page was left').count()]).toEqual([1, 0])
  })

  test('a message whose answer was lost is no unsent one after a reload', async () => {
    await using opened = await world.open('ada', {
      path: '/sessions/cli:lost-answer',
      allowed: SERVER_AWAY,
      isRouted: true,
    })
    const { page } = opened
    await page.getByText('Nothing was said yet').waitFor()
    const taken = Promise.withResolvers<void>()
    // What the server has taken is not shown either: neither the answer nor the log come.
    await page.routeWebSocket('**/graphql', () => {})
    await page.reload()
    await page.getByText('Nothing was said yet').waitFor()
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('mutation SendMessage') !== true) return route.continue()
      await route.fetch()
      taken.resolve()
      await route.abort('internetdisconnected')
    })
    await say(page, 'From the train')
    await taken.promise
    await page.reload()
    const sent = page.locator('.entry-person', { hasText: 'From the train' })
    await sent.waitFor()
    await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(0)
    expect([await sent.count(), await page.getByText('The page was left').count()]).toEqual([1, 0])
  })

  test('why a message is not taken is read out', async () => {
    await using opened = await world.open('ada', { path: `/sessions/${encodeURIComponent(ID)}` })
    const { page } = opened
    await page.locator('.entry').first().waitFor()
    expect(await page.getByRole('alert').innerText()).toBe('')
    await say(page, 'x'.repeat(MAX_CONTENT_BYTES + 1))
    await page.getByRole('alert').filter({ hasText: 'Not sent: ' }).waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => page.getByRole('alert').innerText()).toBe('')
  })

  test('a message with a file that did not arrive is not sent without it: it is tried again, or left out', async () => {
    await world.story.as('ada').run(OpenSessionDocument, { input: { id: 'cli:failed-upload' } })
    await using opened = await world.open('ada', {
      path: '/sessions/cli:failed-upload',
      allowed: /Failed to load/,
      isRouted: true,
    })
    const { page } = opened
    await page.route('**/files/**', (route) => route.fulfill({ status: 503, json: { problem: 'The disk is away.' } }))
    const files = page.locator('.composer').getByRole('list', { name: 'Files' })
    const chosen = ['plan.txt', 'notes.txt'].map((name) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(name),
    }))
    await page.getByLabel('Files', { exact: true }).setInputFiles(chosen)
    await expect.poll(() => files.getByText('The disk is away.').count()).toBe(2)
    await say(page, 'What does the plan say?')
    await page.getByText('Not sent, because this did not arrive: plan.txt, notes.txt').waitFor()
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('What does the plan say?')
    await page.unroute('**/files/**')
    await page.getByRole('button', { name: 'Leave out notes.txt' }).click()
    await page.getByRole('button', { name: 'Try plan.txt again' }).click()
    await files.getByText('8 B').waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    const sent = page.locator('.entry-person', { hasText: 'What does the plan say?' })
    await sent.getByText('plan.txt').waitFor()
    expect(await sent.innerText()).not.toContain('notes.txt')
    await page.reload()
    await sent.getByText('plan.txt').waitFor()
  })

  test('a session that a file has opened offers all of an open one, and its details go with the work', async () => {
    await using opened = await world.open('ada', { path: '/sessions/cli:by-file?tab=details' })
    const { page } = opened
    await page.getByText('Nothing was said yet').waitFor()
    const buffer = Buffer.from('Tuesday')
    await page.getByLabel('Files', { exact: true }).setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer })
    await page.getByRole('button', { name: 'Leave out plan.txt' }).waitFor()
    const details = page.locator('.details')
    await details.getByText('plan.txt').waitFor()
    await page.locator('.session-head').getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
    await page.keyboard.press('Escape')
    await say(page, 'What does the plan say?')
    await page.locator('.entry-agent').waitFor()
    await expect.poll(() => details.innerText()).toContain('1 turn ended')
  })

  test('a message that waited stands below the answer it waited for, and above its own', async () => {
    await using opened = await world.open('ada', { path: '/sessions/cli:waited' })
    const { page } = opened
    await say(page, 'run: rm -f nothing')
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    await say(page, 'Second')
    await page.getByRole('list', { name: 'Waiting messages' }).waitFor()
    await approve.click()
    await page.locator('.entry-agent').nth(1).waitFor()
    const order = (): Promise<string[]> =>
      page
        .locator('.entry')
        .evaluateAll((entries) =>
          entries
            .toSorted((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
            .map((entry) => (entry.classList.contains('entry-agent') ? 'agent' : 'person')),
        )
    expect(await order()).toEqual(['person', 'agent', 'person', 'agent'])
    await page.reload()
    await page.locator('.entry-agent').nth(1).waitFor()
    expect(await order()).toEqual(['person', 'agent', 'person', 'agent'])
  })

  test('an answer is read out although a message that waited for it stands below', async () => {
    await using opened = await world.open('ada', { path: '/sessions/cli:read-out' })
    const { page } = opened
    await say(page, 'run: rm -f nothing; echo First is done')
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    await say(page, 'run: rm -f other')
    const waiting = page.getByRole('list', { name: 'Waiting messages' })
    await waiting.waitFor()
    await approve.click()
    await page.locator('.entry-agent', { hasText: 'First is done' }).waitFor()
    await waiting.waitFor({ state: 'detached' })
    await page.locator('.entry-person', { hasText: 'run: rm -f other' }).waitFor()
    expect(await page.locator('.talk > .unseen[aria-live]').innerText()).toContain('First is done')
  })

  test.each(['Turn', 'Details'])('the headings of a session, with "%s" beside it, leave out no level', async (tab) => {
    await using opened = await world.open('ada', { path: `/sessions/cli:headings-${tab}` })
    const { page } = opened
    await say(page, 'Hello')
    await page.locator('.entry-agent').waitFor()
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('heading', { name: tab === 'Turn' ? /^Plan/ : 'Participants' }).waitFor()
    const levels = await page
      .getByRole('heading')
      .evaluateAll((headings) => headings.map(({ tagName }) => Number(tagName.slice(1))))
    const steps = levels.map((level, index) => level - (levels[index - 1] ?? 0))
    expect(Math.max(...steps)).toBe(1)
  })

  test('on a phone, whose keys have no Shift+Enter, Enter makes a new line', async () => {
    await using opened = await world.open('ada', { path: '/sessions/cli%3Aphone', width: 360, hasTouch: true })
    const { page } = opened
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.fill('One')
    await message.press('Enter')
    await message.pressSequentially('Two')
    expect(await message.inputValue()).toBe('One\nTwo')
    await page.getByRole('button', { name: 'Send' }).tap()
    expect(await page.locator('.entry-person').innerText()).toContain('One\nTwo')
  })

  test('all lines of a message are in sight while it is written', async () => {
    await using opened = await world.open('ada', { path: '/sessions/cli%3Alines' })
    const { page } = opened
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.waitFor()
    // As where it is not known, such as in Safari 26.0.
    await page.evaluate(`document.styleSheets[0].insertRule('textarea { field-sizing: fixed !important }')`)
    const hidden = (): Promise<number> => message.evaluate((field) => field.scrollHeight - field.clientHeight)
    for (const text of ['One\nTwo\nThree\nFour\nFive', 'word '.repeat(100)]) {
      await message.fill(text)
      expect(await hidden()).toBeLessThanOrEqual(0)
    }
    // What takes more than a part of the page scrolls.
    await message.fill('Line\n'.repeat(100))
    expect(await hidden()).toBeGreaterThan(0)
    await message.evaluate((field) => field.scrollTo(0, field.scrollHeight))
    expect(await page.getByRole('button', { name: 'Send' }).isVisible()).toBe(true)
  })

  test('Enter that takes over what an input method proposes sends nothing', async () => {
    await using opened = await world.open('ada', { path: '/sessions/cli%3Acomposed' })
    const { page } = opened
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.fill('にほん')
    await message.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, isComposing: false })
    expect(await message.inputValue()).toBe('にほん')
    await message.press('Enter')
    await page.locator('.entry-person', { hasText: 'にほん' }).waitFor()
  })

  test('an admin saves a session as a file, or reads why not; others are not offered it', async () => {
    await using opened = await world.open('ada', {
      path: '/sessions/cli%3Along',
      allowed: /Failed to load/,
      isRouted: true,
    })
    const { page } = opened
    await page.getByText('Line 20').waitFor()
    const saved = page.waitForEvent('download')
    await chooseInMenu(page, 'Export')
    const file = await saved
    expect(file.suggestedFilename()).toBe('cli-long.jsonl')
    expect(await readFile(await file.path(), 'utf8')).toContain('"Line 20"')
    await page.route('**/export', (route) => route.fulfill({ status: 503, json: { problem: 'Two exports run.' } }))
    await chooseInMenu(page, 'Export')
    await page.getByText('Two exports run.').waitFor()

    await using other = await world.open('ben', { path: '/sessions/%40ben%3Aown' })
    await say(other.page, 'Hello')
    await other.page.locator('.entry-agent').waitFor()
    await other.page.locator('.session-head').getByRole('button', { name: 'More' }).click()
    await other.page.getByRole('menuitem', { name: 'Copy of the session' }).waitFor()
    expect(await other.page.getByRole('menuitem', { name: 'Export' }).count()).toBe(0)
  })

  async function append(content: string): Promise<void> {
    await world.story.as('ada').run(AppendMessageDocument, { input: { sessionId: ID, role: 'ASSISTANT', content } })
  }
})

async function chooseInMenu(page: Page, name: string): Promise<void> {
  await page.locator('.session-head').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name }).click()
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

/** By how many pixels the newest entry with this text ends below what is shown of the conversation. */
async function hiddenBelow(page: Page, text: string): Promise<number> {
  const entry = await page.locator('.talk-entry', { hasText: text }).last().boundingBox()
  const log = await page.getByRole('log', { name: 'Conversation' }).boundingBox()
  if (entry === null || log === null) return Infinity
  return entry.y + entry.height - (log.y + log.height)
}
