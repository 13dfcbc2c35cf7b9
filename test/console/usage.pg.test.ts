/** What an owner takes from the page of usage: what sums leave out, and a file for a spreadsheet. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { select } from '../harness/plugins.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { converse, storyConfig } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'
import { ConsoleWorld } from './console-world.ts'

const PRICE = '[prices."stub:stub-1"]\ninput = 0.01\noutput = 0.02\n'
const SPENT_BY_BEN = `SELECT sum((data->>'inputTokens')::int + (data->>'outputTokens')::int)::int AS tokens
  FROM audit_entries WHERE actor = 'ben' AND kind = 'MODEL_CALL'`

describe.skipIf(!hasBrowser)(`usage${withoutBrowser}`, () => {
  let stub: StubEndpoint
  let world: ConsoleWorld
  beforeAll(async () => {
    stub = await StubEndpoint.start({ by: answerWell })
    world = await ConsoleWorld.begin({ config: { toml: stubProvider(stub) } })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await stub?.close()
  })

  test('a sum of costs says what it leaves out, and the file has all of it', async () => {
    const { story } = world
    const priced = storyConfig({ toml: `${stubProvider(stub)}${PRICE}`, settings: { currency: 'EUR' } })
    const { usage: unpriced } = await converse(story.as('ada'), '@ada:without-a-price', 'hello')
    await using _priced = await story.reconfigureForNow(priced)
    await converse(story.as('ada'), '@ada:cheap', 'hello')
    await using opened = await world.open('ada', { path: '/usage?measure=cost&by=SESSION' })
    const { page } = opened
    await page.getByText(`no price: ${unpriced.calls} of stub:stub-1.`).waitFor()
    expect(await page.getByRole('region', { name: 'Figures' }).innerText()).toMatch(/0\.00000\d+ EUR/)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const file = await saved
    expect(file.suggestedFilename()).toMatch(/^usage-by-session-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/)
    const text = await readFile(await file.path(), 'utf8')
    expect(text.startsWith('\uFEFFsession,')).toBe(true)
    expect(text).toMatch(/^"'@ada:cheap",.*,0\.00000\d+,"EUR",0\r$/m)
    expect(text).toMatch(/^"'@ada:without-a-price",.*,,"",\d\r$/m)
    await page.getByText('2 lines saved.').waitFor()
  })

  test('who has used most of a budget reads so on each page, and who has used all of it', async () => {
    const { story } = world
    await converse(story.as('ben'), '@ben:spends', 'hello')
    const [spent] = await select(story, SPENT_BY_BEN)
    const budget = (tokens: number): string =>
      storyConfig({ toml: `${stubProvider(stub)}[budgets]\nuser_tokens_per_day = ${tokens}\n` })
    await using _nearly = await story.reconfigureForNow(budget(Number(spent?.['tokens']) + 1))
    await using opened = await world.open('ben')
    await opened.page.getByText(/^9\d % of your budget for today is used\./).waitFor()
    await story.reconfigure(budget(1))
    await opened.page.reload()
    const note = opened.page.getByText(/^Your budget for today is used up\./)
    await note.waitFor()
    expect(await note.innerText()).toMatch(/ The next one begins .+\.$/)
  })
})
