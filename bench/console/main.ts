/**
 * `npm run bench:console`: how fast the console is in a real browser, in front of a real server. README.md of bench/
 * says what was measured. Times are by the browser's own clock; on a busy machine compare what the main thread did,
 * and the ratios to the barest page in the same run.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { printTable, type Row } from '../table.ts'
import { measureCrowded } from './crowded.ts'
import { measureFiltering } from './filtering.ts'
import { measureOpening } from './opening.ts'
import { Profiles } from './profiles.ts'
import { Scene } from './scene.ts'
import { measureStreaming } from './streaming.ts'

const HELP = `npm run bench:console -- [--only opening,crowded,streaming,filtering] [--quick] [--profile <folder>] [--help]

  --only     which parts; default all (three minutes)
  --quick    fewer rounds: for a first look, not for figures
  --profile  a folder for CPU profiles of the page while it streams

It needs Chromium, and the console as it is built: npm run generate.`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: 'opening,crowded,streaming,filtering' },
      quick: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(HELP)
  const { only, quick } = values
  const profiles = new Profiles(values.profile ?? null)
  const parts = {
    opening: (scene: Scene) => measureOpening(scene, { rounds: quick ? 3 : 11 }),
    crowded: (scene: Scene) => measureCrowded(scene, { rounds: quick ? 3 : 7 }),
    streaming: (scene: Scene) => measureStreaming(scene, { seconds: quick ? 5 : 15, profiles }),
    filtering: (scene: Scene) => measureFiltering(scene),
  }
  const rows: Row[] = []
  const loadBefore = loadavg()[0] ?? 0
  for (const [name, measure] of Object.entries(parts)) {
    if (!only.split(',').includes(name)) continue
    console.error(`measuring ${name} …`)
    await using scene = await Scene.begin()
    rows.push(...(await measure(scene)))
  }
  printTable(rows)
  console.log(`load of the machine ${loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after`)
}

await main()
