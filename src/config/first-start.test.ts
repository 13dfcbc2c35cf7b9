import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { must } from '../platform/must.ts'
import { authenticate } from './access/authenticate.ts'
import { writeFirstConfig } from './first-start.ts'
import { configPath, loadConfig } from './load-config.ts'

async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'first-start-'))
  onTestFinished(() => rm(home, { recursive: true }))
  return home
}

test('writes a configuration that only its owner reads, and in which the token is an admin', async () => {
  const home = await makeHome()
  const first = must(await writeFirstConfig(configPath(home)), 'there was no file')
  expect(first.token).toMatch(/^fct_[0-9a-f]{64}$/)
  expect((await stat(configPath(home))).mode & 0o777).toBe(0o600)
  expect(await readdir(home)).toEqual(['config.toml'])

  const { config, warnings } = await loadConfig(configPath(home), { production: false })
  expect(warnings).toEqual([])
  expect(authenticate(config, first.token)).toMatchObject({ tokenName: 'cli', role: 'ADMIN', user: { name: 'admin' } })
  expect(await readFile(configPath(home), 'utf8')).not.toContain(first.token)
})

test('leaves a file that is there alone', async () => {
  const home = await makeHome()
  await writeFile(configPath(home), 'mine')
  expect(await writeFirstConfig(configPath(home))).toBeNull()
  expect(await readFile(configPath(home), 'utf8')).toBe('mine')
})

test('of many processes that start at once, exactly one writes, and its token is the one that holds', async () => {
  const home = await makeHome()
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => writeFirstConfig(configPath(home))))
  const tokens = outcomes.flatMap((outcome) => (outcome === null ? [] : [outcome.token]))
  expect(tokens).toHaveLength(1)
  const { config } = await loadConfig(configPath(home), { production: false })
  expect(authenticate(config, tokens.join())).not.toBeNull()
  expect(await readdir(home)).toEqual(['config.toml'])
})

test('a folder that is missing is an error that names the file', async () => {
  const path = configPath(join(await makeHome(), 'missing'))
  await expect(writeFirstConfig(path)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(`${path} cannot be written: ENOENT`),
  })
})

test('a read-only home with a configuration is fine', async () => {
  const home = await makeHome()
  await writeFile(configPath(home), 'mine')
  await chmod(home, 0o500)
  onTestFinished(() => chmod(home, 0o700))
  expect(await writeFirstConfig(configPath(home))).toBeNull()
})
