import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findMissingKeys, loadKeys } from './load-keys.ts'
import { parseConfig } from './parse-config.ts'

async function makeHome(dotEnv?: string) {
  const home = await mkdtemp(join(tmpdir(), 'load-keys-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const path = join(home, '.env')
  if (dotEnv !== undefined) await writeFile(path, dotEnv, { mode: 0o600 })
  const lines: string[] = []
  return { home, path, lines, logger: pino({}, { write: (line: string) => void lines.push(line) }) }
}

describe('the API keys', () => {
  test('come from .env, unless the real environment has them', async () => {
    const { home, logger, lines } = await makeHome('A=from file\nB="quoted" # comment\nC=\nexport D=d\n')
    const keys = loadKeys({ home, env: { A: 'from environment', B: '' }, logger })
    expect(['A', 'B', 'C', 'D', 'E', '__proto__'].map((name) => keys.apiKey(name))).toEqual([
      'from environment',
      'quoted',
      null,
      'd',
      null,
      null,
    ])
    expect(lines).toEqual([])
  })

  test('follow the file: it appears, changes, is replaced, and goes', async () => {
    const { home, path, logger } = await makeHome()
    const keys = loadKeys({ home, env: {}, logger })
    expect(keys.apiKey('A')).toBeNull()
    await writeFile(path, 'A=1', { mode: 0o600 })
    expect(keys.apiKey('A')).toBe('1')
    await writeFile(path, 'A=22')
    expect(keys.apiKey('A')).toBe('22')
    await writeFile(`${path}.new`, 'A=33', { mode: 0o600 })
    await rename(`${path}.new`, path)
    expect(keys.apiKey('A')).toBe('33')
    await rm(path)
    expect(keys.apiKey('A')).toBeNull()
  })

  test('are warned of when everybody can read the file, without being shown', async () => {
    const { home, path, logger, lines } = await makeHome('A=very-secret')
    await chmod(path, 0o644)
    loadKeys({ home, env: {}, logger })
    expect(lines).toEqual([expect.stringContaining(`chmod 600 ${path}`)])
    expect(lines.join('')).not.toContain('very-secret')
  })

  test('a .env that cannot be read is logged, and the environment still counts', async () => {
    const { home, path, logger, lines } = await makeHome()
    await mkdir(path)
    const keys = loadKeys({ home, env: { B: 'b' }, logger })
    expect([keys.apiKey('A'), keys.apiKey('B')]).toEqual([null, 'b'])
    expect(lines).toEqual([expect.stringContaining('cannot be read')])
  })

  test('that are missing are listed by provider and variable', async () => {
    const { home, logger } = await makeHome('HAVE=1')
    const parsed = parseConfig(
      `
[tokens.cli]
token = "x"
kind = "connector"
[users.marco]
role = "admin"
[providers.one]
base_url = "https://one.example/v1"
api_key_env = "HAVE"
[providers.two]
base_url = "https://two.example/v1"
api_key_env = "MISSING"
[providers.local]
base_url = "http://127.0.0.1:1/v1"
[models]
planner = "m"
`,
      { production: false },
    )
    expect(parsed.kind).toBe('valid')
    if (parsed.kind !== 'valid') return
    expect(findMissingKeys(parsed.config, loadKeys({ home, env: {}, logger }))).toEqual(['two: MISSING'])
  })
})
