/** How long from opening an address until what one came for stands on the page. */
import type { Browser } from 'playwright-core'
import { median, show } from '../figures.ts'
import type { Row } from '../table.ts'
import { BARE_ROW, serveBarePage } from './bare-page.ts'
import { fillLongSession } from './long-session.ts'
import type { Scene } from './scene.ts'
import { Tab } from './tab.ts'

const LONG_SESSION = 'cli:long'
/** With 20 events each: 100 000. */
const TURNS = 5000

interface Address {
  readonly what: string
  readonly path: string
  /** Drawn when what one came for is there. */
  readonly selector: string
  readonly mark: string
}

const ADDRESSES: readonly Address[] = [
  { what: 'the list of sessions', path: '/#/sessions', selector: '.session-row', mark: 'under 500' },
  {
    what: 'a session with 100 000 events',
    path: `/#/sessions/${LONG_SESSION}`,
    selector: '.entry-agent .markdown',
    mark: 'under 700',
  },
]

interface Opening {
  readonly shownMs: number
  /** Of the page's main thread. */
  readonly taskMs: number
}

export async function measureOpening(scene: Scene, { rounds }: { readonly rounds: number }): Promise<Row[]> {
  const { stage, browser } = scene
  await scene.sql((run) => fillLongSession(run, LONG_SESSION, TURNS))
  await using bare = await serveBarePage()
  const least: Opening[] = []
  const found = ADDRESSES.map((): Record<'first' | 'again', Opening[]> => ({ first: [], again: [] }))
  for (let round = 0; round < rounds; round += 1) {
    least.push(...(await openTwice(browser, stage.url, { url: bare.url, selector: BARE_ROW })))
    for (const [index, { path, selector }] of ADDRESSES.entries()) {
      const [first, again] = await openTwice(browser, stage.url, { url: `${stage.url}${path}`, selector })
      found[index]?.first.push(first)
      found[index]?.again.push(again)
    }
  }
  return ADDRESSES.flatMap(({ what, mark }, index) =>
    (['first', 'again'] as const).map((when) => ({
      ...figuresOf(found[index]?.[when] ?? [], least, mark),
      what: `${what}, ms, ${when === 'first' ? 'nothing cached' : 'opened before'}`,
    })),
  )
}

/** With an empty cache, and once more. */
async function openTwice(
  browser: Browser,
  server: string,
  { url, selector }: { readonly url: string; readonly selector: string },
): Promise<readonly [Opening, Opening]> {
  await using tab = await Tab.open(browser, server)
  const open = async (): Promise<Opening> => {
    const shownMs = await tab.open(url, selector)
    return { shownMs, taskMs: (await tab.busy()).taskMs }
  }
  return [await open(), await open()]
}

function figuresOf(found: readonly Opening[], least: readonly Opening[], mark: string): Omit<Row, 'what'> {
  const of = (openings: readonly Opening[], key: keyof Opening): number => median(openings.map((one) => one[key]))
  return {
    value: show(of(found, 'shownMs')),
    floor: show(of(least, 'shownMs')),
    ratio: show(of(found, 'shownMs') / of(least, 'shownMs')),
    note: `${mark}; main thread ${show(of(found, 'taskMs'))}, bare page ${show(of(least, 'taskMs'))}`,
  }
}
