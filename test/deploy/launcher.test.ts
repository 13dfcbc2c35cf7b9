/** What bin/factotum.js runs: dist/, which starts faster, or the sources of a checkout where these are newer. */
import { execFileSync } from 'node:child_process'
import { cp, mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createTemporaryHome } from '../harness/temporary-home.ts'

const BUILT = new Date('2026-01-02T00:00:00Z')
const EARLIER = new Date('2026-01-01T00:00:00Z')
const LATER = new Date('2026-01-03T00:00:00Z')

test.each([
  { what: 'a release, which has no sources', files: { 'dist/cli.js': BUILT }, runs: 'dist' },
  { what: 'a checkout that was never built', files: { 'src/cli.ts': EARLIER }, runs: 'src' },
  {
    what: 'a checkout as it was built',
    files: { 'dist/cli.js': BUILT, 'src/cli.ts': EARLIER, 'src/turn/run-turn.ts': EARLIER },
    runs: 'dist',
  },
  {
    what: 'a checkout in which a source has changed since',
    files: { 'dist/cli.js': BUILT, 'src/cli.ts': EARLIER, 'src/turn/run-turn.ts': LATER },
    runs: 'src',
  },
  {
    what: 'a checkout whose sources became newer, but no others',
    files: { 'dist/cli.js': BUILT, 'dist/.server-stamp': LATER, 'src/cli.ts': EARLIER, 'src/turn/run-turn.ts': LATER },
    runs: 'dist',
  },
])('of $what it runs $runs', async ({ files, runs }) => {
  await using folder = await createTemporaryHome()
  await mkdir(join(folder.path, 'bin'))
  await cp('bin/factotum.js', join(folder.path, 'bin/factotum.js'))
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  for (const [name, changed] of Object.entries(files)) {
    const file = join(folder.path, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, `console.log('${dirname(name)}')`)
    await utimes(file, changed, changed)
  }
  expect(execFileSync(process.execPath, [join(folder.path, 'bin/factotum.js')], { encoding: 'utf8' }).trim()).toBe(runs)
})
