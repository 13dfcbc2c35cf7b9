/** Dialogs: what a pointer may do to them, and where the focus is when they are closed. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CreateFactDocument, OpenSessionDocument } from '../generated/graphql.ts'
import { approvalRules } from '../harness/approvals.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { PATIENCE } from '../harness/patience.ts'
import { send } from '../harness/story.ts'
import { ConsoleWorld } from './console-world.ts'

describe.skipIf(!hasBrowser)(`dialogs${withoutBrowser}`, () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await ConsoleWorld.begin({ config: { toml: approvalRules('effect = "require"\ncommand = "tee"') } })
    await world.story.as('ada').run(OpenSessionDocument, { input: { id: 'cli:oak', description: 'An old oak' } })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('a text that is selected beyond the edge of a dialog stays; a click beside the dialog closes it', async () => {
    await using opened = await world.open('ada', { path: '/sessions' })
    const { page } = opened
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog')
    const about = dialog.getByLabel('What it is about')
    await about.fill('Acorns')
    const box = await about.boundingBox()
    if (box === null) throw new Error('the field is not drawn')
    await page.mouse.move(box.x + 30, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(5, box.y + box.height / 2)
    await page.mouse.up()
    expect(await dialog.isVisible()).toBe(true)
    expect(await about.inputValue()).toBe('Acorns')
    await page.mouse.click(5, 5)
    await dialog.waitFor({ state: 'hidden' })
  })

  test.each([
    ['/people', 'New user', 'Cancel'],
    ['/people/tokens', 'New token', 'Close'],
    ['/memory/facts', 'New fact', 'Cancel'],
    ['/schedules', 'New schedule', 'Close'],
    ['/sessions', 'New session', 'Cancel'],
  ])('%s: the button "%s" has the focus again when its dialog was closed by "%s"', async (path, name, by) => {
    await using opened = await world.open('ada', { path })
    const { page } = opened
    await page.locator('main').getByRole('button', { name }).first().press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: by, exact: true }).press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await focused(page)).toBe(name)
  })

  test('a session that was just opened can be written in at once', async () => {
    await using opened = await world.open('ada', { path: '/sessions' })
    const { page } = opened
    await page.locator('main').getByRole('button', { name: 'New session' }).press('Enter')
    await page.getByRole('dialog').getByLabel('What it is about').press('Enter')
    await page.getByText('Nothing was said yet').waitFor()
    await expect.poll(() => focused(page), PATIENCE).toBe('Message')
  })

  test('why something is refused is shown in front of the dialog in which it was asked for', async () => {
    await world.story.as('ada').run(CreateFactDocument, { content: 'The oak is old.' })
    await using opened = await world.open('ada', { path: '/memory/facts' })
    const { page } = opened
    const dialog = page.getByRole('dialog')
    await page.locator('main').getByRole('button', { name: 'New fact' }).first().click()
    await dialog.getByLabel('What it says').fill('The oak is old.')
    await dialog.getByRole('button', { name: 'State it' }).click()
    const dismiss = page.getByRole('status').getByRole('button', { name: 'Dismiss' })
    // What stands behind an open dialog takes no click.
    await dismiss.click()
    await dismiss.waitFor({ state: 'detached' })
    expect(await dialog.isVisible()).toBe(true)
  })

  test('what came of a dialog is read out: in a region that was there before', async () => {
    await world.story.as('ada').run(CreateFactDocument, { content: 'The elm is tall.' })
    await using opened = await world.open('ben', { path: '/memory/facts' })
    const { page } = opened
    await page.getByRole('article', { name: 'The elm is tall.' }).getByRole('button').click()
    await page.locator('.toasts').evaluate((region) => region.setAttribute('data-early', ''))
    await page.getByRole('button', { name: 'This is wrong' }).click()
    await page.getByLabel('What is wrong with it').fill('It is small.')
    await page.getByRole('button', { name: 'Say so' }).click()
    await page.getByText('The admins are asked.').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await page.locator('.toasts[data-early]').innerText()).toContain('The admins are asked.')
  })

  test('the focus is on the row that stands in the place of the one that a dialog was about', async () => {
    for (const word of ['ash', 'fir', 'yew'])
      await send(world.story.as('ada'), `cli:${word}`, `run: echo ${word} | tee`)
    await using opened = await world.open('ada', { path: '/approvals' })
    const { page } = opened
    const row = (word: string) => page.getByRole('article', { name: `echo ${word}` })
    for (const word of ['ash', 'fir', 'yew']) await row(word).waitFor()
    // Three turns ask at the same time: their order is theirs.
    const [gone = '', next = ''] = (await page.getByRole('article').allInnerTexts()).map(
      (text) => /echo (\w+)/.exec(text)?.[1] ?? text,
    )
    await row(gone).getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('dialog').getByLabel('Reason').press('Enter')
    await row(gone).waitFor({ state: 'detached' })
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await expect.poll(() => focused(page), PATIENCE).toContain(`echo ${next}`)
  })

  test('a text of several lines is sent by Ctrl+Enter; what a user has said of a fact is asked once', async () => {
    const { createFact } = await world.story.as('ada').run(CreateFactDocument, { content: 'The birch is black.' })
    if (createFact.__typename !== 'CreateFactPayload') throw new Error(JSON.stringify(createFact))
    await using opened = await world.open('ben', { path: `/memory/facts/${createFact.fact.id}` })
    const { page } = opened
    await page.getByRole('button', { name: 'This is wrong' }).click()
    const wrong = page.getByLabel('What is wrong with it')
    await wrong.press('Control+Enter')
    await wrong.fill('It is white.')
    await wrong.press('Control+Enter')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByText('an admin has not decided yet').waitFor()
    await page.getByRole('button', { name: 'This is wrong' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('an admin has not decided yet').waitFor()
    expect(await page.getByRole('button', { name: 'This is wrong' }).count()).toBe(0)
  })

  test('why a fact is not shown to others than before is read out', async () => {
    const { createFact } = await world.story.as('ada').run(CreateFactDocument, { content: 'The willow weeps.' })
    if (createFact.__typename !== 'CreateFactPayload') throw new Error(JSON.stringify(createFact))
    await using opened = await world.open('ada', { path: `/memory/facts/${createFact.fact.id}` })
    const { page } = opened
    await page.getByRole('button', { name: 'Whom it is shown' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const alert = dialog.getByRole('alert')
    await alert.waitFor()
    expect(await alert.innerText()).not.toBe('')
  })

  test('the button of a menu has the focus again when a dialog that it led to was closed', async () => {
    await using opened = await world.open('ada', { path: '/sessions/cli%3Aoak' })
    const { page } = opened
    await page.locator('.session-head').getByRole('button', { name: 'More' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
    await page.getByRole('heading', { name: 'Delete this session?' }).waitFor()
    expect(await page.evaluate(`document.activeElement.closest('dialog') !== null`)).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await focused(page)).toBe('More')
  })
})

/** The name of what has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate(`(({ activeElement: at, body }) =>
    at === body ? 'nothing' : (at.getAttribute('aria-label') ?? at.textContent))(document)`)
}
