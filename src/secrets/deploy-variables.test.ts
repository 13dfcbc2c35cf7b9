import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DeployVariables } from './deploy-variables.ts'

async function makeHome(dotEnv?: string) {
  const home = await mkdtemp(join(tmpdir(), 'deploy-variables-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const path = join(home, '.env')
  if (dotEnv !== undefined) await writeFile(path, dotEnv, { mode: 0o600 })
  const lines: string[] = []
  return { home, path, lines, logger: pino({}, { write: (line: string) => void lines.push(line) }) }
}

describe('deploy variables', () => {
  test('come from .env, unless the real environment has them', async () => {
    const { home, logger, lines } = await makeHome('A=from file\nB="quoted" # comment\nC=\nexport D=d\n')
    const variables = new DeployVariables({ home, env: { A: 'from environment', B: '' }, logger })
    expect(['A', 'B', 'C', 'D', 'E', '__proto__'].map((name) => variables.get(name))).toEqual([
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
    const variables = new DeployVariables({ home, env: {}, logger })
    const afterRefresh = (): [boolean, string | null] => [variables.refresh(), variables.get('A')]
    expect(afterRefresh()).toEqual([false, null])
    await writeFile(path, 'A=1', { mode: 0o600 })
    expect(variables.get('A')).toBeNull()
    expect(afterRefresh()).toEqual([true, '1'])
    await writeFile(path, 'A=22')
    expect(afterRefresh()).toEqual([true, '22'])
    expect(afterRefresh()).toEqual([false, '22'])
    await writeFile(`${path}.new`, 'A=33', { mode: 0o600 })
    await rename(`${path}.new`, path)
    expect(afterRefresh()).toEqual([true, '33'])
    await rm(path)
    expect(afterRefresh()).toEqual([true, null])
  })

  test('are warned of when everybody can read the file, without being shown', async () => {
    const { home, path, logger, lines } = await makeHome('A=very-secret')
    await chmod(path, 0o644)
    const variables = new DeployVariables({ home, env: {}, logger })
    expect(variables.get('A')).toBe('very-secret')
    expect(lines).toEqual([expect.stringContaining(`chmod 600 ${path}`)])
    expect(lines.join('')).not.toContain('very-secret')
  })

  test('lines that are no variable are named by their number, without being shown', async () => {
    const dotEnv = '# words\n\nA=1\nvery-secret\nB="one\ntwo\n three"\n  # words\nC very-secret\nD=\'x\'\n'
    const { home, logger, lines } = await makeHome(dotEnv)
    expect([...new DeployVariables({ home, env: {}, logger }).lines.keys()]).toEqual(['A', 'B', 'D'])
    expect(lines).toEqual([expect.stringMatching(/"lines":\[4,9\].*no NAME=value/)])
    expect(lines.join('')).not.toContain('very-secret')
  })

  test('a .env that cannot be read is logged, and the environment still counts', async () => {
    const { home, path, logger, lines } = await makeHome()
    await mkdir(path)
    const variables = new DeployVariables({ home, env: { B: 'b' }, logger })
    expect([variables.get('A'), variables.get('B')]).toEqual([null, 'b'])
    expect(lines).toEqual([expect.stringContaining('cannot be read')])
    expect(variables.problem).toContain('EISDIR')
  })

  test('are read again until they can be, although the file has not changed', async () => {
    const { home, path, logger } = await makeHome('A=1')
    let tries = 0
    const readText = (): string => {
      tries += 1
      if (tries < 3) throw new Error('EMFILE: too many open files')
      return readFileSync(path, 'utf8')
    }
    const variables = new DeployVariables({ home, env: {}, logger, readText })
    const afterRefresh = () => [variables.refresh(), variables.get('A'), variables.problem]
    expect(afterRefresh()).toEqual([false, null, 'EMFILE: too many open files'])
    expect(afterRefresh()).toEqual([true, '1', null])
    expect([variables.refresh(), tries]).toEqual([false, 3])
  })

  test('stay as they were while .env cannot be read', async () => {
    const { home, path, lines, logger } = await makeHome('A=1')
    const variables = new DeployVariables({ home, env: {}, logger })
    await rm(path)
    await mkdir(path)
    expect([variables.refresh(), variables.refresh(), variables.get('A')]).toEqual([false, false, '1'])
    expect(lines).toEqual([expect.stringContaining('cannot be read')])
    await rm(path, { recursive: true })
    await writeFile(path, 'A=2', { mode: 0o600 })
    expect([variables.refresh(), variables.get('A'), variables.problem]).toEqual([true, '2', null])
  })
})
