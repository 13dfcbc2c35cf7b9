/** A session whose turn waits, on a phone, and what its page says and offers before and after. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approvalRules } from '../harness/approvals.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { storyConfig } from '../harness/story.ts'
import { ConsoleWorld, type OpenOptions } from './console-world.ts'

const PHONE: OpenOptions = { width: 390, height: 844 }

describe.skipIf(!hasBrowser)(`a turn that waits${withoutBrowser}`, () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await ConsoleWorld.begin({ config: { toml: approvalRules('effect = "require"\ncommand = "rm"') } })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('a budget that is used up is said where the conversation is, until the turn goes on', async () => {
    await using opened = await world.open('ben', { ...PHONE, path: '/sessions/%40ben%3Aspent' })
    const { page } = opened
    const why = page.getByRole('region', { name: 'Why it waits' })
    await page.locator(READ_OUT).waitFor({ state: 'attached' })
    await page.evaluate(HEARD)
    {
      const spent = storyConfig({ toml: '[budgets]\nuser_tokens_per_day = 1\n' })
      await using _spent = await world.story.reconfigureForNow(spent)
      await say(page, 'Hello')
      await why.getByText('The budget of user ben').waitFor()
      expect(await page.locator('.entry-agent').count()).toBe(0)
    }
    await page.locator('.entry-agent').waitFor()
    await why.waitFor({ state: 'hidden' })
    expect(await page.evaluate('heard')).toEqual([expect.stringContaining('The budget of user ben')])
  })

  test('an approval that is waited for is read out', async () => {
    await using opened = await world.open('ada', { path: '/sessions/cli%3Aread-out' })
    const { page } = opened
    await page.locator(READ_OUT).waitFor({ state: 'attached' })
    await page.evaluate(HEARD)
    await say(page, 'run: rm -f nothing')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.locator('.entry-agent').waitFor()
    expect(await page.evaluate('heard')).toEqual([expect.stringContaining('until a person approves')])
    expect(await page.getByRole('region', { name: 'Why it waits' }).count()).toBe(0)
  })

  test('beside a turn, on a small screen, the reason of an approval is not a narrow column', async () => {
    await using opened = await world.open('ada', { path: '/sessions/cli%3Asmall', width: 1024 })
    const { page } = opened
    await say(page, 'run: rm -f nothing')
    const card = page.getByRole('region', { name: 'Approval', exact: true })
    const [whole, reason] = [await card.boundingBox(), await card.getByText('need an approval').boundingBox()]
    if (whole === null || reason === null) throw new Error('the approval is not drawn')
    expect(reason.width).toBeGreaterThan(whole.width / 2)
    await card.getByRole('button', { name: 'Deny' }).click()
    await page.locator('.entry-agent').waitFor()
  })

  test('a session that was opened while its turn waited is deleted after it, without a reload', async () => {
    const path = '/sessions/cli%3Abusy'
    await using first = await world.open('ada', { path })
    await say(first.page, 'run: rm -f nothing')
    await first.page.getByRole('button', { name: 'Deny' }).waitFor()
    await using opened = await world.open('ada', { ...PHONE, path })
    const { page } = opened
    const menu = page.locator('.session-head').getByRole('button', { name: 'More' })
    await page.getByRole('button', { name: 'Deny' }).waitFor()
    await menu.click()
    await page.getByRole('menuitem', { name: 'Export' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.locator('.entry-agent').waitFor()
    await menu.click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  })

  test('what is said first on a page that has stood for minutes was said now, and "Send" stays readable', async () => {
    const minutes = 10
    await using opened = await world.blank(PHONE)
    const { page } = opened
    await page.clock.install({ time: Date.now() - minutes * 60_000 })
    await world.logIn(opened, 'ada')
    await page.goto(`${world.url}/#/sessions/cli%3Alater`)
    await page.getByText('Nothing was said yet').waitFor()
    const send = page.getByRole('button', { name: 'Send' })
    const ground = (): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector('.composer .button-main')).backgroundColor`)
    const usual = await ground()
    await page.evaluate(SEEN)
    await page.clock.fastForward(minutes * 60_000)
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello')
    await send.click()
    const said = page.locator('.entry-person', { hasText: 'Hello' })
    await said.locator('time').waitFor()
    await page.locator('.entry-agent').waitFor()
    expect(await page.evaluate('[...seen]')).toEqual(['now'])
    await expect.poll(ground).toBe(usual)
  })
})

/** Where it is read out why a turn waits: there before it waits, since a region that comes is not read. */
const READ_OUT = '.session-talk > .unseen[role="status"]'

/** Collects what is read out there. */
const HEARD = `window.heard = []
  {
    const region = document.querySelector('${READ_OUT}')
    new MutationObserver(() => {
      if (region.textContent !== '') heard.push(region.textContent)
    }).observe(region, { subtree: true, childList: true, characterData: true })
  }`

/** Collects what every moment of the conversation was shown as, at whatever time. */
const SEEN = `window.seen = new Set()
  new MutationObserver(() => {
    for (const moment of document.querySelectorAll('.entry time')) seen.add(moment.textContent)
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}
