/**
 * Texts of others in the console: nothing of them runs, nothing is loaded for them, and the page stays what it was. And
 * that a page which did so would be noticed.
 */
import { writeFile } from 'node:fs/promises'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { converse } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'
import { CreateFactDocument, CreateScheduleDocument, OpenSessionDocument } from '../generated/graphql.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleWorld, type Opened } from './console-world.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'

const SETTINGS = { max_plan_tasks: 100 }
/** As many texts does one command print. */
const PRINTED_TOGETHER = 10

interface Scrolling {
  readonly list: string
  readonly step: number
  /** What the other end of the list shows, once it is read. */
  readonly end?: Locator
}

describe.skipIf(!hasBrowser)(`hostile texts${withoutBrowser}`, () => {
  const stack = new AsyncDisposableStack()
  let world: ConsoleWorld
  let said = 0
  beforeAll(async () => {
    const stub = stack.use(await StubEndpoint.start({ by: play }))
    world = stack.use(await ConsoleWorld.begin({ config: { settings: SETTINGS, toml: stubProvider(stub) } }))
  })
  afterAll(() => stack.disposeAsync())

  /** Prints all the texts, and says each of them. */
  function play(call: StubCall): StubAnswer {
    if (call.role === 'messenger') return HOSTILE_TEXTS[said++ % HOSTILE_TEXTS.length] ?? ''
    if (call.role !== 'planner') return answerWell(call)
    const task = { skill: null, args: null, expect: null }
    const prints = HOSTILE_TEXTS.flatMap((_, index) =>
      index % PRINTED_TOGETHER === 0
        ? [{ ...task, type: 'exec', detail: `cat ${world.story.path(`texts-${index}`)}`, expect: 'it prints' }]
        : [],
    )
    const says = HOSTILE_TEXTS.map((_, index) => ({ ...task, type: 'msg', detail: `Say text ${index}.` }))
    return { content: { goal: HOSTILE_TEXTS[0], secrets: null, tasks: [...prints, ...says], answers: null } }
  }

  /** What the page would be by now if a text were more than a text. */
  async function isHarmless({ page }: Opened): Promise<void> {
    const found = await page.evaluate(`(() => {
      const never = 'iframe, object, embed, base, meta[http-equiv], script:not([src]), [onload], [onerror], [onclick],' +
        '.foreign :is(img, svg, form, style, link, video, audio, button, select), .foreign input:not([type=checkbox])'
      return {
        hacked: String(globalThis.hacked),
        elements: [...document.querySelectorAll(never)].map((one) => one.outerHTML.slice(0, 200)),
        links: [...document.querySelectorAll('a[href]')].map(({ href }) => href).filter((to) => !/^(https?|mailto):/.test(to)),
        isTooWide: document.documentElement.scrollWidth > innerWidth,
      }
    })()`)
    expect(found).toEqual({ hacked: 'undefined', elements: [], links: [], isTooWide: false })
  }

  /** Shows all of a list, from its end or from its beginning. */
  async function scrollThrough(opened: Opened, { list, step, end }: Scrolling): Promise<void> {
    for (let last = Number.NaN; ;) {
      await isHarmless(opened)
      const at = await opened.page.evaluate(`(() => {
        const list = document.querySelector(${JSON.stringify(list)})
        list.scrollTop += ${step}
        return list.scrollTop
      })()`)
      if (at === last && (end === undefined || (await end.count()) > 0)) return
      last = Number(at)
    }
  }

  test('what a page must not do is noticed', async () => {
    const opened = await world.open('ada')
    const { page } = opened
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    expect(opened.complaints).toEqual([])
    await page.evaluate(`(() => {
      console.error('an error was logged')
      setTimeout(() => { throw new Error('an error was thrown') })
      document.body.append(Object.assign(new Image(), { src: 'http://elsewhere.invalid/x.png' }))
      document.body.append(Object.assign(document.createElement('style'), { textContent: 'body { color: red }' }))
      open('about:blank')
      fetch('graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{ nothing }"}' })
        .then((answer) => answer.text())
    })()`)
    await page.evaluate(`alert('a dialog')`)
    const expected = ['an error was logged', 'an error was thrown', 'img-src', 'style-src', 'a window', 'a dialog']
    for (const what of [...expected, 'the API answered: {"errors"'])
      await expect.poll(() => opened.complaints.join('\n')).toContain(what)
    await page.evaluate(`location.href = 'http://elsewhere.invalid/'`)
    await expect.poll(() => opened.complaints.join('\n')).toContain('asked another host: http://elsewhere.invalid/')
    expect(opened.problems).toEqual(opened.complaints)
    await expect(opened[Symbol.asyncDispose]()).rejects.toThrow('the browser complained')
  })

  test('60 of them in messages, answers, plans and outputs of commands', async () => {
    for (let index = 0; index < HOSTILE_TEXTS.length; index += PRINTED_TOGETHER)
      await writeFile(
        world.story.path(`texts-${index}`),
        HOSTILE_TEXTS.slice(index, index + PRINTED_TOGETHER).join('\n'),
      )
    const message = HOSTILE_TEXTS.map((text) => text.slice(0, 300).replaceAll('\u0000', '')).join('\n')
    const { status } = await converse(world.story.as('ada'), 'cli:hostile', message)
    expect(status).toBe('DONE')
    await using opened = await world.open('ada', { path: '/sessions/cli:hostile' })
    const { page } = opened
    await page.locator('.entry-agent').first().waitFor()
    await page.locator('.task').nth(60).waitFor()
    await scrollThrough(opened, {
      list: '.talk-scroll',
      step: -500,
      end: page.locator('.entry-said', { hasText: '<script>' }),
    })
    for (const task of await page.locator('.task', { hasText: 'cat ' }).locator('summary').all()) await task.click()
    await page.getByRole('region', { name: 'Output' }).nth(5).waitFor()
    await isHarmless(opened)
    await page.getByRole('tab', { name: 'Log' }).click()
    await page.locator('.event summary').first().click()
    await page.locator('.event pre').waitFor()
    await isHarmless(opened)
    await page.setViewportSize({ width: 360, height: 700 })
    await page.getByRole('button', { name: 'Conversation' }).click()
    await scrollThrough(opened, { list: '.talk-scroll', step: 700 })
    // The page can still be used.
    await page.getByRole('textbox', { name: 'Message' }).fill('Are you there?')
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    await page.locator('.entry-said', { hasText: 'Are you there?' }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
  })

  test('texts from the right begin there, in titles, in facts and in what is typed', async () => {
    const ada = world.story.as('ada')
    const text = 'שלום עולם: git!'
    await ada.run(OpenSessionDocument, { input: { id: 'cli:from-the-right', description: text } })
    await ada.run(CreateFactDocument, { content: text })
    await using opened = await world.open('ada', { path: '/sessions/cli:from-the-right' })
    const { page } = opened
    const shown = [page.locator('h1'), page.locator('.session-row strong'), page.locator('.fact-line > .foreign')]
    for (const [index, path] of ['', '/sessions', '/memory/facts'].entries()) {
      if (path !== '') await page.goto(`${world.url}/#${path}`)
      const found = must(shown[index], 'one for each page').filter({ hasText: text }).first()
      await found.waitFor()
      expect([path, ...(await placesIn(found))]).toEqual([path, 2, 1, 0])
    }
    await page.getByRole('searchbox').first().fill(text)
    expect(await page.evaluate(`getComputedStyle(document.querySelector('[type=search]')).direction`)).toBe('rtl')
  })

  test('60 of them in facts, names, descriptions and schedules', async () => {
    const ada = world.story.as('ada')
    const taken = { facts: 0, sessions: 0, schedules: 0 }
    for (const [index, text] of HOSTILE_TEXTS.entries()) {
      const content = `${index} ${text.slice(0, 1000)}`
      const [fact, session, schedule] = await Promise.all([
        ada.run(CreateFactDocument, { content }),
        ada.run(OpenSessionDocument, { input: { id: `cli:named-${index}`, description: content.slice(0, 900) } }),
        ada.run(CreateScheduleDocument, {
          input: { name: content.slice(0, 200), content, cron: '0 9 * * *', timeZone: 'UTC' },
        }),
      ])
      if (fact.createFact.__typename === 'CreateFactPayload') taken.facts += 1
      if (session.openSession.__typename === 'OpenSessionPayload') taken.sessions += 1
      if (schedule.createSchedule.__typename === 'CreateSchedulePayload') taken.schedules += 1
    }
    expect(Object.values(taken).every((count) => count > 50)).toBe(true)
    // A connector's people are not known here, and are called as they like.
    const discord = world.story.as('discord')
    for (const text of HOSTILE_TEXTS.slice(0, 20))
      await discord.session('discord:hostile').send('Hello.', { user: text.slice(0, 100) })
    await using opened = await world.open('ada', { path: '/sessions' })
    const { page } = opened
    await page.locator('.session-row').first().waitFor()
    await scrollThrough(opened, { list: '.list', step: 600 })
    await page.goto(`${world.url}/#/sessions/discord:hostile`)
    await page.getByText('not known here').first().waitFor()
    await scrollThrough(opened, { list: '.talk-scroll', step: -500 })
    for (const path of ['/memory/facts', '/schedules', '/audit', '/usage']) {
      await page.goto(`${world.url}/#${path}`)
      await page.locator('.list-row, .usage-plot').first().waitFor()
      await isHarmless(opened)
      await page.keyboard.press('Enter')
      await isHarmless(opened)
    }
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
  })
})

/** For "שלום", "עולם" and "!" in this order: how many of them stand further to the left. */
async function placesIn(shown: Locator): Promise<number[]> {
  const lefts = await shown.evaluate(({ firstChild: text, ownerDocument }) =>
    ['שלום', 'עולם', '!'].map((part) => {
      const range = ownerDocument.createRange()
      const begin = text?.textContent?.indexOf(part) ?? -1
      if (text === null || begin < 0) throw new Error(`"${part}" is not shown`)
      range.setStart(text, begin)
      range.setEnd(text, begin + part.length)
      return range.getBoundingClientRect().left
    }),
  )
  return lefts.map((left) => lefts.filter((other) => other < left).length)
}
