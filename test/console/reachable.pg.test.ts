/**
 * Every page, with something on it, for people who see little, hear the page, or use the keyboard alone: axe-core finds
 * nothing serious or critical, in light and in dark.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { Story } from '../harness/story.ts'
import { ConsoleBrowser, hasBrowser, withoutBrowser } from './console-world.ts'
import { startExample } from './shots/example.ts'
import { PICTURES } from './shots/pictures.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

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

  test.each(['light', 'dark'] as const)('every page, in %s', async (colorScheme) => {
    await using opened = await browser.blank({ colorScheme, allowed: /status of 401|UNAUTHENTICATED/ })
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
      await prepare(page, { isPhone: false })
      found.push(...(await problemsOf(page)).map((problem) => `${name}: ${problem}`))
    }
    expect(found).toEqual([])
  })
})

async function problemsOf(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'))
  const { violations } = await page.evaluate<AxeResults>('axe.run({ resultTypes: ["violations"] })')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary ?? ''}`))
}
