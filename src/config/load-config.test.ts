import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { configPath, loadConfig } from './load-config.ts'

async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'load-config-'))
  onTestFinished(() => rm(home, { recursive: true }))
  return home
}

test('a missing file is an error that names it and says how there will be one', async () => {
  const path = configPath(await makeHome())
  await expect(loadConfig(path, { production: false })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(`${path} does not exist. A server that starts`),
  })
})

test('a file that is not UTF-8 is an error that says so', async () => {
  const path = configPath(await makeHome())
  await writeFile(path, Buffer.from([0x61, 0xff, 0xfe]))
  await expect(loadConfig(path, { production: false })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: `${path} cannot be read: it is not UTF-8 text`,
  })
})
