/** Facts that the server filters while one types: from a key until the list is what was typed, and the frames. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fillFacts } from '../../test/harness/long-history.ts'
import { median, percentile, show } from '../figures.ts'
import type { Row } from '../table.ts'
import type { Scene } from './scene.ts'
import { Tab } from './tab.ts'

const FACTS = 10_000
const TYPED = ['team 41', 'server of team 7', 'says hi']
/** As a person types who types fast. */
const KEY_EVERY_MS = 80

/** Milliseconds from the last key until the rows are others than before and all have what was typed. */
const NOTE_FILTERED = `(typed) => {
  const beganMs = performance.now()
  return new Promise((done) => {
    const look = () => {
      const rows = [...document.querySelectorAll('.fact-line .foreign')]
      const isFiltered = rows.length > 0 && rows.every((row) => row.textContent.includes(typed))
      if (isFiltered) done(performance.now() - beganMs)
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
}`

export async function measureFiltering(scene: Scene): Promise<Row[]> {
  const { stage, browser } = scene
  await scene.sql((run) => fillFacts(run, 1, FACTS))
  await using tab = await Tab.open(browser, stage.url)
  const { page } = tab
  const opened = await tab.open(`${stage.url}/#/memory/facts`, '.fact-line')
  await tab.startFrames()
  const found: number[] = []
  for (const typed of TYPED) {
    await page.keyboard.press('/')
    await page.keyboard.press('Control+A')
    for (const [index, key] of typed.split('').entries()) {
      if (index > 0) await sleep(KEY_EVERY_MS)
      await page.keyboard.press(key)
    }
    found.push(await page.evaluate<number>(`(${NOTE_FILTERED})(${JSON.stringify(typed)})`))
  }
  const { gapsMs, longTasksMs } = await tab.endFrames()
  const longest = longTasksMs.length === 0 ? 'none' : show(Math.max(...longTasksMs))
  return [
    {
      what: `${FACTS} facts filtered as one types, ms after the last key`,
      value: show(median(found)),
      floor: '',
      ratio: '',
      note: `opened in ${show(opened)}; longest ${show(Math.max(...found))}; frame p99 ${show(percentile(gapsMs, 0.99))}; longest task ${longest}`,
    },
  ]
}
