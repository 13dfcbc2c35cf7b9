/** What an editor says of a plugin as docs/plugins.md has it: nothing. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { packageFile } from '../../src/platform/package-file.ts'
import { must } from '../../src/platform/must.ts'

const OPTIONS = [
  '--ignoreConfig',
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--target',
  'es2023',
  '--module',
  'nodenext',
]

test('the plugin of the documentation has types where factotum is installed', async () => {
  const page = await readFile(packageFile('docs/plugins.md'), 'utf8')
  const code = must(/```ts\n(?<code>.*?)\n {3}```/s.exec(page)?.groups?.['code'], 'the page begins with a plugin')
  const dir = await mkdtemp(join(tmpdir(), 'factotum-types-'))
  try {
    await mkdir(join(dir, 'node_modules'))
    await symlink(packageFile('.'), join(dir, 'node_modules/factotum'))
    await writeFile(join(dir, 'package.json'), '{ "type": "module" }')
    await writeFile(join(dir, 'plugin.ts'), code)
    const tsc = packageFile('node_modules/.bin/tsc')
    // Rejects with what it prints.
    expect(await promisify(execFile)(tsc, [...OPTIONS, 'plugin.ts'], { cwd: dir })).toMatchObject({ stdout: '' })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
