/**
 * The page of a session while its turn says or prints a lot: how far frames are apart, how much of its time the main
 * thread was busy, and what of it stays in memory.
 */
import { ApiClient } from '../../test/harness/api-client.ts'
import { send } from '../../test/harness/story.ts'
import { percentile, show } from '../figures.ts'
import { TOKEN } from '../stage.ts'
import type { Script } from '../stub-main.ts'
import type { Row } from '../table.ts'
import type { Profiles } from './profiles.ts'
import type { Scene } from './scene.ts'
import { Tab, type Frames } from './tab.ts'

const PER_SECOND = 200
const MEGABYTE = 1_000_000
const PRINTED_MB = 10
/** Lines of a program that colours what it prints, for some seconds. */
const LINE = `$(printf '\\033[32m%s\\033[0m %s' ok 'a line that a program prints while it works on something')`
const PRINT = `for part in $(seq 100); do yes "${LINE}" | head -c ${(PRINTED_MB * MEGABYTE) / 100}; sleep 0.03; done`
const WORDS = 'The **quick** brown fox jumps over `lazy` dogs, and so on it goes. '

interface Stream {
  readonly what: string
  readonly sessionId: string
  readonly script: Script
}

export async function measureStreaming(
  scene: Scene,
  { seconds, profiles }: { readonly seconds: number; readonly profiles: Profiles },
): Promise<Row[]> {
  const script = { command: null, pieces: piecesFor(seconds * PER_SECOND), piecesPerSecond: PER_SECOND }
  return [
    ...(await measureStream(scene, profiles, {
      what: `${PER_SECOND} deltas a second`,
      sessionId: 'cli:deltas',
      script,
    })),
    ...(await measureStream(scene, profiles, {
      what: `a command that prints ${PRINTED_MB} MB`,
      sessionId: 'cli:output',
      script: { command: PRINT, pieces: ['Done.'], piecesPerSecond: PER_SECOND },
    })),
  ]
}

/** Paragraphs, lists and code, as models write them. */
function piecesFor(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    if (index % 60 === 59) return '\n\n'
    if (index % 300 === 150) return '\n\n```ts\nconst a = 1\n```\n\n- one\n- two\n\n'
    return WORDS.split(/(?<= )/)[index % 14] ?? 'so '
  })
}

async function measureStream(scene: Scene, profiles: Profiles, { what, sessionId, script }: Stream): Promise<Row[]> {
  const { stage, browser } = scene
  const api = new ApiClient(stage.url, TOKEN)
  // What is measured comes into a page that has shown a turn before.
  await stage.stub.call('follow', { command: 'echo hi', pieces: ['Hi.'], piecesPerSecond: PER_SECOND })
  await send(api, sessionId, 'Say hi.')
  await using tab = await Tab.open(browser, stage.url)
  await tab.open(`${stage.url}/#/sessions/${sessionId}`, '.entry-agent')
  await tab.page.locator('.page[data-status="IDLE"]').waitFor()
  await stage.stub.call('follow', script)
  const before = await tab.settled()
  const idle = await frames(tab, () => tab.page.waitForTimeout(2000))
  const profile = await profiles.begin(tab, sessionId)
  const beganMs = performance.now()
  const busyBefore = await tab.busy()
  const shown = await frames(tab, async () => {
    await send(api, sessionId, 'Go.')
    await tab.page.locator('.entry-agent[aria-busy="false"]').nth(1).waitFor({ timeout: 120_000 })
    await tab.page.locator('.page[data-status="IDLE"]').waitFor()
  })
  const tookMs = performance.now() - beganMs
  const busy = await tab.busy()
  await profile()
  const after = await tab.settled()
  const share = ((busy.taskMs - busyBefore.taskMs) / tookMs) * 100
  const grown = (after.heapBytes - before.heapBytes) / MEGABYTE
  return [
    frameRow(`${what}, frame p99, ms`, shown, idle),
    {
      what: `${what}, main thread busy, %`,
      value: show(share),
      floor: '',
      ratio: '',
      note: `for ${show(tookMs / 1000)} s; ${show(busy.scriptMs - busyBefore.scriptMs)} ms script, ${show(busy.layoutMs - busyBefore.layoutMs)} ms layout`,
    },
    {
      what: `${what}, heap kept, MB`,
      value: show(grown),
      floor: '',
      ratio: '',
      note: `flat: under 5; ${after.nodes - before.nodes} nodes more`,
    },
  ]
}

async function frames(tab: Tab, work: () => Promise<unknown>): Promise<Frames> {
  await tab.startFrames()
  await work()
  return await tab.endFrames()
}

function frameRow(what: string, { gapsMs, longTasksMs }: Frames, idle: Frames): Row {
  const [value, floor] = [percentile(gapsMs, 0.99), percentile(idle.gapsMs, 0.99)]
  const longest =
    longTasksMs.length === 0 ? 'none' : `${longTasksMs.length}, longest ${show(Math.max(...longTasksMs))} ms`
  return {
    what,
    value: show(value),
    floor: show(floor),
    ratio: show(value / floor),
    note: `under 50; longest frame ${show(Math.max(...gapsMs))}, at rest ${show(Math.max(...idle.gapsMs))}; tasks over 50 ms: ${longest}`,
  }
}
