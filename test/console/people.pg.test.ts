/** The page People: an admin adds, changes, links, revokes and removes; a user does not find the page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleWorld } from './console-world.ts'

describe.skipIf(!hasBrowser)(`people${withoutBrowser}`, () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await ConsoleWorld.begin()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('an admin adds a user with a token, which works until it is revoked', async () => {
    await using opened = await world.open('ada', { path: '/people' })
    const { page } = opened
    const row = (name: string) => page.getByRole('article', { name, exact: true })
    const dialog = page.getByRole('dialog')
    await row('ada').getByText('config.toml').waitFor()
    await page.getByRole('button', { name: 'New user' }).click()
    await dialog.getByLabel('Name').fill('dora')
    await dialog.getByLabel('Tools').fill('weather__*')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await row('dora').getByText('the tools weather__*').waitFor()

    await row('dora').getByRole('button', { name: 'Link' }).click()
    await dialog.getByLabel('Connector').fill('discord')
    await dialog.getByLabel('Identity').fill('Dora#7')
    await dialog.getByRole('button', { name: 'Link' }).click()
    await row('dora').getByText('Dora#7').waitFor()

    await page.getByRole('tab', { name: 'Tokens' }).click()
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog.getByLabel('Name').fill('doras')
    await dialog.getByLabel('User', { exact: true }).selectOption('dora')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const secret = await dialog.getByLabel('Token').inputValue()
    expect(secret).toMatch(/^fct_[0-9a-f]{64}$/)
    await dialog.getByRole('button', { name: 'I have kept it' }).click()
    const statusOf = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${secret}`, accept: 'application/json' }
      return (await fetch(`${world.url}/graphql?query={viewer{role}}`, { headers })).status
    }
    expect(await statusOf()).toBe(200)
    await row('doras').getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await row('doras').waitFor({ state: 'detached' })
    expect(await statusOf()).toBe(401)

    await page.getByRole('tab', { name: 'Users' }).click()
    await row('dora').getByRole('button', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await row('dora').waitFor({ state: 'detached' })
  })

  test('what was done is found by its days, the last one with all of it', async () => {
    await using opened = await world.open('ada', { path: '/audit' })
    const { page } = opened
    const rows = page.locator('.list-row')
    await rows.first().waitFor()
    const today = new Date().toISOString().slice(0, 10)
    await page.getByLabel('To', { exact: true }).fill('2000-01-02')
    await page.getByText('No such entry').waitFor()
    await page.getByLabel('To', { exact: true }).fill(today)
    await rows.first().waitFor()
    await page.getByLabel('From', { exact: true }).fill(today)
    await rows.first().waitFor()
    await page.getByLabel('To', { exact: true }).fill('')
    await page.getByLabel('From', { exact: true }).fill('2999-01-01')
    await page.getByText('No such entry').waitFor()
    expect(await rows.count()).toBe(0)
  })

  test('a new token is lost by no slip before it is copied', async () => {
    await using opened = await world.open('ada', { path: '/people/tokens' })
    const { page } = opened
    const dialog = page.getByRole('dialog')
    const create = async (name: string): Promise<void> => {
      await page.locator('main').getByRole('button', { name: 'New token' }).click()
      await dialog.getByLabel('Name', { exact: true }).fill(name)
      await dialog.getByLabel('User', { exact: true }).selectOption('ada')
      await dialog.getByRole('button', { name: 'Create' }).click()
      await dialog.getByRole('heading', { name: 'The new token' }).waitFor()
    }
    const alert = dialog.getByRole('alert')
    await create('kept')
    for (const slip of ['Enter', 'Escape', 'Escape', 'Escape']) await page.keyboard.press(slip)
    await alert.getByText('Copy the token first').waitFor()
    await page.mouse.click(5, 5)
    await dialog.getByRole('button', { name: 'Close' }).click()
    expect(await dialog.getByLabel('Token').inputValue()).toMatch(/^fct_/)
    await dialog.getByRole('button', { name: 'I have kept it' }).press('Enter')
    await dialog.waitFor({ state: 'hidden' })

    await create('copied')
    await dialog.getByLabel('Token').press('Control+c')
    await dialog.getByRole('button', { name: 'Copied' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.evaluate('document.activeElement.textContent')).toBe('New token')
  })

  test('a new token outlives a step back, and the browser asks before the page with it is left', async () => {
    await using opened = await world.open('ada', { path: '/people', allowed: /opened a dialog/ })
    const { page } = opened
    const dialog = page.getByRole('dialog')
    await page.getByRole('tab', { name: 'Tokens' }).click()
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('stepped')
    await dialog.getByLabel('User', { exact: true }).selectOption('ada')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const secret = await dialog.getByLabel('Token').inputValue()
    await page.evaluate('history.back()')
    await page.locator('main').getByText('config.toml').first().waitFor()
    expect(await dialog.getByLabel('Token').inputValue()).toBe(secret)
    const asked = page.waitForEvent('dialog')
    await page.evaluate('location.reload()')
    expect((await asked).type()).toBe('beforeunload')
    expect(await dialog.getByLabel('Token').inputValue()).toBe(secret)
    await dialog.getByRole('button', { name: 'I have kept it' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.reload()
    await page.locator('main').getByText('config.toml').first().waitFor()
    expect(opened.complaints.length).toBe(1)
  })

  test('on the width of a phone nothing is wider than the page; a user does not find it', async () => {
    await using opened = await world.open('ada', { path: '/people', width: 360 })
    await opened.page.getByRole('article', { name: 'ada', exact: true }).waitFor()
    expect(await opened.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    await using bens = await world.open('ben')
    await bens.page.getByRole('heading', { name: 'Sessions' }).waitFor()
    expect(await bens.page.getByRole('link', { name: 'People' }).count()).toBe(0)
  })
})
