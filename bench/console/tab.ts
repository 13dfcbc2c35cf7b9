/**
 * A tab of Chromium and what it measures of itself: when something stood on the page, by the browser's own clock; how
 * far its frames are apart; how long its main thread was busy, which another program on the machine does not change.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { TOKEN } from '../stage.ts'

const LONGEST_MS = 30_000

/** Milliseconds of the main thread since the page began, and what is kept. */
export interface Busy {
  readonly taskMs: number
  readonly scriptMs: number
  readonly layoutMs: number
  readonly heapBytes: number
  readonly nodes: number
}

/** Times between frames, and the main thread's tasks of 50 ms and more, since `startFrames`. */
export interface Frames {
  readonly gapsMs: readonly number[]
  readonly longTasksMs: readonly number[]
}

/** When an element of the selector stood on the page and was drawn. */
const NOTE_SHOWN = `(selector) => new Promise((done) => {
  const look = () => {
    if (document.querySelector(selector) === null) return requestAnimationFrame(look)
    // This frame is drawn before the next one begins.
    requestAnimationFrame(() => done(performance.now()))
  }
  requestAnimationFrame(look)
})`
const START_FRAMES = `(() => {
  const frames = { gapsMs: [], longTasksMs: [], last: performance.now() }
  globalThis.frames_ = frames
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) frames.longTasksMs.push(duration)
  }).observe({ type: 'longtask' })
  const next = (now) => {
    if (globalThis.frames_ !== frames) return
    frames.gapsMs.push(now - frames.last)
    frames.last = now
    requestAnimationFrame(next)
  }
  requestAnimationFrame(next)
})()`
const END_FRAMES = `(() => {
  const { gapsMs, longTasksMs } = globalThis.frames_
  globalThis.frames_ = null
  return { gapsMs, longTasksMs }
})()`

export class Tab implements AsyncDisposable {
  readonly page: Page
  readonly #devtools: CDPSession

  private constructor(page: Page, devtools: CDPSession) {
    this.page = page
    this.#devtools = devtools
  }

  /** With an empty cache, logged in at `url` as the bench's admin. */
  static async open(browser: Browser, url: string): Promise<Tab> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const headers = { origin: url, 'sec-fetch-site': 'same-origin' }
    const answer = await context.request.post(`${url}/login`, { headers, data: { token: TOKEN } })
    if (answer.status() !== 200) throw new Error(`not logged in: ${await answer.text()}`)
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    // Of its processor time: what others run on the machine does not count.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    return new Tab(page, devtools)
  }

  /** Opens an address anew; milliseconds from its beginning until an element of `selector` was drawn. */
  async open(address: string, selector: string): Promise<number> {
    const { page } = this
    await page.goto('about:blank')
    const script = await page.addInitScript(`globalThis.shown = (${NOTE_SHOWN})(${JSON.stringify(selector)})`)
    try {
      await page.goto(address, { waitUntil: 'commit' })
      return await Promise.race([page.evaluate<number>('globalThis.shown'), this.#tooLate(address)])
    } finally {
      await script.dispose()
    }
  }

  async #tooLate(address: string): Promise<never> {
    await sleep(LONGEST_MS, undefined, { ref: false })
    throw new Error(`${address} shows: ${await this.page.locator('body').innerText()}`)
  }

  /** What the page did itself from its beginning on; of a page that was opened anew. */
  async busy(): Promise<Busy> {
    const { metrics } = await this.#devtools.send('Performance.getMetrics')
    const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN
    return {
      taskMs: of('TaskDuration') * 1000,
      scriptMs: of('ScriptDuration') * 1000,
      layoutMs: (of('LayoutDuration') + of('RecalcStyleDuration')) * 1000,
      heapBytes: of('JSHeapUsedSize'),
      nodes: of('Nodes'),
    }
  }

  /** What is left when all garbage was collected. */
  async settled(): Promise<Busy> {
    await this.#devtools.send('HeapProfiler.collectGarbage')
    return this.busy()
  }

  async startFrames(): Promise<void> {
    await this.page.evaluate(START_FRAMES)
  }

  async endFrames(): Promise<Frames> {
    return await this.page.evaluate<Frames>(END_FRAMES)
  }

  /** Of what runs until `stop`, as the browser's own tools open it. */
  async startProfile(): Promise<() => Promise<unknown>> {
    await this.#devtools.send('Profiler.enable')
    await this.#devtools.send('Profiler.setSamplingInterval', { interval: 200 })
    await this.#devtools.send('Profiler.start')
    return async () => (await this.#devtools.send('Profiler.stop')).profile
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close()
  }
}
