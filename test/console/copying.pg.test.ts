/**
 * Copying where browsers give pages no `navigator.clipboard`: those that came over http from another host than
 * localhost, as from a machine in the same network.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OpenSessionDocument } from '../generated/graphql.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleWorld, type Opened } from './console-world.ts'

const NO_CLIPBOARD = "Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })"
const NO_COPYING = 'document.execCommand = () => false'
const BY_HAND = 'This browser lets the page copy nothing. Select it and copy it by hand.'

describe.skipIf(!hasBrowser)(`copying${withoutBrowser}`, () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await ConsoleWorld.begin()
    await world.story.as('ada').run(OpenSessionDocument, { input: { id: 'cli:copied', description: 'Copied' } })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('an id, an address and a new token are copied', async () => {
    await using opened = await openWith([NO_CLIPBOARD], '/sessions/cli%3Acopied')
    const { page } = opened
    const message = page.getByRole('textbox', { name: 'Message' })
    await page.getByRole('tab', { name: 'Details' }).click()
    await page.getByRole('button', { name: 'Copy cli:copied' }).click()
    await message.press('Control+v')
    await expect.poll(() => message.inputValue()).toBe('cli:copied')
    await message.fill('')
    await page.locator('.session-head').getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Copy the address' }).click()
    await page.getByText('The address is copied.').waitFor()
    await message.press('Control+v')
    await expect.poll(() => message.inputValue()).toContain('#/sessions/cli%3Acopied')

    await page.goto(`${world.url}/#/people/tokens`)
    const secret = await createToken(page, 'copied')
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Copied' }).waitFor()
    await page.keyboard.press('Escape')
    const search = page.getByRole('textbox').or(page.getByRole('searchbox')).first()
    await page.goto(`${world.url}/#/sessions`)
    await search.press('Control+v')
    await expect.poll(() => search.inputValue()).toBe(secret)
  })

  test('where a browser lets no page copy, the page says what to do, and keeps a token that is shown once', async () => {
    await using opened = await openWith([NO_CLIPBOARD, NO_COPYING], '/sessions/cli%3Acopied')
    const { page } = opened
    await page.clock.install()
    await page.getByRole('tab', { name: 'Details' }).click()
    await page.getByRole('button', { name: 'Copy cli:copied' }).click()
    const shown = page.getByText(`${BY_HAND} cli:copied`)
    await shown.waitFor()
    // It stays for as long as it takes to copy it.
    await page.clock.fastForward(10_000)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    expect(await shown.isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await shown.waitFor({ state: 'detached' })

    await page.goto(`${world.url}/#/people/tokens`)
    await createToken(page, 'refused')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Copy' }).click()
    await dialog.getByRole('alert').getByText(BY_HAND).waitFor()
    await page.keyboard.press('Escape')
    expect(await dialog.getByLabel('Token').isVisible()).toBe(true)
    await dialog.getByRole('button', { name: 'I have kept it' }).click()
  })

  async function openWith(scripts: readonly string[], path: string): Promise<Opened> {
    const opened = await world.blank()
    for (const content of scripts) await opened.context.addInitScript({ content })
    await world.logIn(opened, 'ada')
    await opened.page.goto(`${world.url}/#${path}`)
    return opened
  }
})

async function createToken(page: Page, name: string): Promise<string> {
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New token' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByLabel('User', { exact: true }).selectOption('ada')
  await dialog.getByRole('button', { name: 'Create' }).click()
  return dialog.getByLabel('Token').inputValue()
}
