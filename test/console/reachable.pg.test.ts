/**
 * Every page and dialog, with something on it, for people who see little, hear the page, or use the keyboard alone:
 * axe-core finds nothing serious or critical, in light, in dark and at the width of a phone; who wants no motion sees
 * none; a whole conversation is held by keys.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { Story } from '../harness/story.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleBrowser, type Opened } from './console-world.ts'
import { SHOWN_SESSION, startExample } from './shots/example.ts'
import { PICTURES } from './shots/pictures.ts'

const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'] as const
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

describe.skipIf(!hasBrowser)(`reachable${withoutBrowser}`, () => {
  let browser: ConsoleBrowser
  const cleanup = new AsyncDisposableStack()
  beforeAll(async () => {
    const example = cleanup.use(await startExample())
    const { config, environment } = example
    const story = cleanup.use(await Story.begin({ config, environment }))
    browser = cleanup.use(await ConsoleBrowser.launch(story.app.url))
    const { home, databaseUrl } = story
    const logger = createLogger({ level: 'silent', pretty: false })
    const database = new Database({ url: databaseUrl, maxConnections: 1, logger })
    await example.populate({ home, database, as: (person) => story.as(person) })
    await database.close()
  })
  afterAll(() => cleanup.disposeAsync())

  test.each([
    { colorScheme: 'light', width: 1280, rules: null },
    // Nothing but its colours differs.
    { colorScheme: 'dark', width: 1280, rules: RULES_OF_COLOURS },
    { colorScheme: 'light', width: 390, rules: null },
  ] as const)('every page, in $colorScheme, $width wide', async ({ colorScheme, width, rules }) => {
    await using opened = await browser.blank({ colorScheme, width, allowed: /status of 401|UNAUTHENTICATED/ })
    const { page } = opened
    // Half a fade is no contrast.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const found: string[] = []
    for (const { name, path, isLoggedOut, prepare } of PICTURES) {
      if (isLoggedOut !== true && (await opened.context.cookies()).length === 0) {
        await browser.logIn(opened, 'ada')
        await page.goto('about:blank')
      }
      await page.goto(`${browser.url}/#${path}`)
      await prepare(page, { isPhone: width < 720 })
      found.push(...(await problemsOf(page, rules)).map((problem) => `${name}: ${problem}`))
      expect(await page.evaluate(FITS), `${name} fits`).toBe(true)
      expect(await page.evaluate(MOVING), `what moves on ${name}`).toEqual([])
    }
    expect(found).toEqual([])
  })

  test('it is light or dark as the menu says, whatever the system is', async () => {
    await using opened = await browser.open('ada', { colorScheme: 'dark' })
    const { page } = opened
    const ground = (): Promise<string> =>
      page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    const next = async (now: string): Promise<void> => {
      await page.getByRole('button', { name: 'You and this console' }).click()
      await page.getByRole('menuitem', { name: `Theme: ${now}` }).click()
    }
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    const dark = await ground()
    await next('system')
    const light = await ground()
    expect(light).not.toBe(dark)
    await page.reload()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    expect(await ground()).toBe(light)
    await next('light')
    expect(await ground()).toBe(dark)
  })

  test('with texts of twice their size, a wide window shows each page as a phone does', async () => {
    await using opened = await browser.open('ada')
    const { page } = opened
    await enlargeTexts(opened)
    for await (const name of pagesThatFit(page)) {
      const widths = await page.evaluate<number[]>(`['main', 'nav'].map((part) =>
        document.querySelector(part).getBoundingClientRect().width)`)
      expect(widths, `how wide ${name} is`).toEqual([1280, 1280])
    }
  })

  test('with texts of twice their size, a phone cuts off no title, no button and no field', async () => {
    await using opened = await browser.open('ada', { width: 390, height: 844 })
    const { page } = opened
    await enlargeTexts(opened)
    for await (const name of pagesThatFit(page))
      expect(await page.evaluate(CUT_OFF), `what is cut off on ${name}`).toEqual([])
  })

  test('with texts of twice their size, an approval leaves the conversation its place, and is reached', async () => {
    await using opened = await browser.open('ada')
    const { page } = opened
    await enlargeTexts(opened)
    await page.goto(`${browser.url}/#/sessions/${encodeURIComponent(SHOWN_SESSION)}`)
    const card = page.getByRole('region', { name: 'Approval', exact: true })
    await card.waitFor()
    expect((await page.locator('.talk-scroll').boundingBox())?.height).toBeGreaterThan(200)
    for (const button of await card.getByRole('button').all()) await button.click({ trial: true })
    await page.getByRole('textbox', { name: 'Message' }).click({ trial: true })
  })

  test('in the colours of the system, the focus and what is chosen are seen; with more contrast, all texts are', async () => {
    await using opened = await browser.open('ada', { path: '/approvals' })
    const { page } = opened
    await page.locator('.pick-row').first().waitFor()
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    const ground = (selector: string): Promise<string> =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor`)
    expect(await ground('.nav-current')).not.toBe(await ground('.nav-page:not(.nav-current)'))
    expect(await ground('[role=tab][aria-selected=true]')).not.toBe(await ground('[role=tab][aria-selected=false]'))
    const outlined = `['solid', 'auto'].includes(getComputedStyle(document.activeElement).outlineStyle)`
    for (const shown of [page.locator('.pick-row').first(), page.getByRole('combobox').first()]) {
      await shown.focus()
      await page.keyboard.press('Shift')
      expect(await page.evaluate(outlined)).toBe(true)
    }
    await page.getByRole('button', { name: 'You and this console' }).press('Enter')
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate(outlined)).toBe(true)
    await page.emulateMedia({ forcedColors: 'none', contrast: 'more' })
    const colours = `new Set(['.soft', '.faint', 'h1'].map((shown) =>
      getComputedStyle(document.querySelector('main ' + shown)).color)).size`
    // A change of colours is a transition, if a very short one.
    await expect.poll(() => page.evaluate<number>(colours)).toBe(1)
  })

  test('every dialog keeps the focus, gives it back, and has a name for all that is in it', async () => {
    await using opened = await browser.open('ada')
    const { page } = opened
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const dialog = page.getByRole('dialog')
    const found: string[] = []
    for (const [path, button] of DIALOGS) {
      await page.goto(`${browser.url}/#${path}`)
      const opens = page.locator('main').getByRole('button', { name: button }).first()
      await opens.press('Enter')
      await dialog.waitFor()
      found.push(...(await problemsOf(page)).map((problem) => `${path} ${button}: ${problem}`))
      expect(await page.evaluate(`document.activeElement.closest('dialog') !== null`), `${path} ${button}`).toBe(true)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      expect(await opens.evaluate((element) => element.ownerDocument.activeElement === element), `${button}`).toBe(true)
    }
    await page.keyboard.press('?')
    await dialog.getByRole('heading', { name: 'Keys' }).waitFor()
    found.push(...(await problemsOf(page)))
    expect(found).toEqual([])
  })

  test('a session is opened, talked in and left, and its person logged out, by keys alone', async () => {
    await using opened = await browser.open('ada', { allowed: /status of 401|UNAUTHENTICATED/ })
    const { page } = opened
    const { keyboard } = page
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await keyboard.press('n')
    await page.getByRole('dialog').waitFor()
    await keyboard.type('By keys alone')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'By keys alone' }).waitFor()
    await tabTo(page, 'Message')
    await keyboard.type('What time is it?')
    await keyboard.press('Enter')
    await page.locator('.entry-agent[aria-busy="false"]').waitFor()
    expect(await page.locator('.entry-said').innerText()).toBe('What time is it?')
    // It is read out when it is whole.
    await page.locator('[aria-live="polite"]', { hasText: 'The agent: ' }).waitFor()
    await tabTo(page, 'Details', { key: 'Shift+Tab', by: 'ArrowRight' })
    await page.getByText('Participants').waitFor()
    await Promise.all([keyboard.press('g'), keyboard.press('s')])
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.getByRole('link', { name: /By keys alone/ }).waitFor()
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'By keys alone' }).waitFor()
    await tabTo(page, 'You and this console')
    await keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await tabTo(page, 'Log out', { key: 'ArrowDown' })
    await keyboard.press('Enter')
    await page.getByLabel('Token').waitFor()
  })
})

/** To twice their size. */
async function enlargeTexts({ context, page }: Opened): Promise<void> {
  const devtools = await context.newCDPSession(page)
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
}

/** Opens one page after another, and goes on when each is shown whole, no wider than the window. */
async function* pagesThatFit(page: Page): AsyncGenerator<string> {
  for (const { name, path, isLoggedOut, prepare } of PICTURES) {
    if (isLoggedOut === true) continue
    await page.goto(new URL(`#${path}`, page.url()).href)
    // So few rows of the audit are drawn with large texts that the one which its picture shows may not be.
    if (name === 'audit') await page.locator('.list-row').first().waitFor()
    else await prepare(page, { isPhone: true })
    expect(await page.evaluate(FITS), `${name} fits`).toBe(true)
    yield name
  }
}

/** Presses Tab until what has the name has the focus; with `by`, arrows from one of its neighbours. */
async function tabTo(page: Page, name: string, { key = 'Tab', by = '' } = {}): Promise<void> {
  const has = `(() => {
    const at = document.activeElement
    return (at?.getAttribute('aria-label') ?? at?.textContent) === ${JSON.stringify(name)}
  })()`
  const isTab = `document.activeElement?.getAttribute('role') === 'tab'`
  for (let presses = 0; presses < 100; presses += 1) {
    if (await page.evaluate<boolean>(has)) return
    await page.keyboard.press(by !== '' && (await page.evaluate<boolean>(isTab)) ? by : key)
    // Arrows move the focus in a timer of the page: what is asked, or pressed, before it would be about the tab before.
    await page.evaluate('new Promise((moved) => setTimeout(moved))')
  }
  throw new Error(`"${name}" cannot be reached by keys`)
}

/** Its parts scroll, the document as a whole never does. */
const FITS = `(({ scrollWidth, scrollHeight }) => scrollWidth <= innerWidth && scrollHeight <= innerHeight)(
  document.documentElement)`

/** What leaves the window at its sides, or has no width; but for what scrolls there by itself. */
const CUT_OFF = `[...document.querySelectorAll('main :is(h1, h2, strong, button, a, input, select, textarea, .badge)')]
  .filter((one) => one.checkVisibility() && one.closest('.unseen, pre, .tabs-list, .session-switch, [role=region][tabindex]') === null)
  .filter((one) => {
    const { left, right, width } = one.getBoundingClientRect()
    return left < -1 || right > innerWidth + 1 || width < 8
  })
  .map((one) => one.outerHTML.slice(0, 100))`

/** What is animated for longer than nobody sees. */
const MOVING = `document.getAnimations().filter(({ effect }) => effect.getTiming().duration > 1)
  .map(({ effect }) => effect.target.outerHTML.slice(0, 100))`

/** An address, and a button of it that opens a dialog. */
const DIALOGS: readonly (readonly [path: string, button: RegExp])[] = [
  ['/sessions', /^New session/],
  ['/approvals', /^Deny/],
  ['/approvals', /^Edit/],
  ['/memory', /^Edit/],
  ['/memory', /^Replace/],
  ['/memory', /^Ask/],
  ['/memory/facts', /^New fact/],
  ['/memory/proposals', /^Edit/],
  ['/memory/questions', /^Answer/],
  ['/schedules', /^New schedule/],
  ['/plugins', /^Settings/],
  ['/plugins/tools', /^Try/],
  ['/people', /^New user/],
  ['/people', /^Link/],
  ['/people', /^Merge/],
  ['/people', /^Remove/],
  ['/people/tokens', /^New token/],
  ['/people/tokens', /^Revoke/],
]

/** `rules`: of axe-core; null: all. */
async function problemsOf(page: Page, rules: readonly string[] | null = null): Promise<string[]> {
  // Pages of the console are one document.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(await readFile(AXE, 'utf8'))
  const options = { resultTypes: ['violations'], ...(rules === null ? {} : { runOnly: rules }) }
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary ?? ''}`))
}
