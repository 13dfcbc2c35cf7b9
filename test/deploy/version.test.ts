/** `factotum --version` says which commit it is of: in a checkout, and in a package whatever folder it lies in. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { dockerSteps } from '../../scripts/docker-steps.ts'
import { writeCommit } from '../../scripts/write-commit.ts'
import { serverProgram } from '../harness/server-program.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

function said(...command: readonly string[]): string {
  return execFileSync(process.execPath, [...command, '--version'], { encoding: 'utf8' }).trim()
}

test('a checkout says its own', () => {
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).trim()
  expect(said('bin/factotum.js')).toMatch(new RegExp(`^factotum \\d+\\.\\d+\\.\\d+ \\(${commit}\\)$`))
})

test('a package says what its build was told, and of a repository around it nothing', async () => {
  await using folder = await createTemporaryHome()
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org']
  execFileSync('git', ['init', '--quiet'], { cwd: folder.path })
  execFileSync('git', [...author, 'commit', '--quiet', '--allow-empty', '-m', 'around'], { cwd: folder.path })
  const dist = join(folder.path, 'installed/dist')
  const built = dirname(await serverProgram())
  await cp(built, dist, { recursive: true, filter: (path) => path !== join(built, 'console') })
  await copyFile('package.json', join(folder.path, 'installed/package.json'))
  const program = join(dist, 'cli.mjs')
  expect(said(program)).toMatch(/\(of no known commit\)$/)
  await writeCommit(dist, { FACTOTUM_COMMIT: '0123456789ab' })
  expect(said(program)).toMatch(/\(0123456789ab\)$/)
})

test('the image and compose.yaml hand the argument to the build', () => {
  const steps = dockerSteps(readFileSync('deploy/Dockerfile', 'utf8'))
  const declared = steps.findIndex(({ instruction, value }) => instruction === 'ARG' && value === 'FACTOTUM_COMMIT=')
  const packed = steps.findIndex(({ value }) => value.startsWith('npm pack'))
  expect(declared).toBeGreaterThan(0)
  expect(steps.slice(declared, packed).filter(({ instruction }) => instruction === 'FROM')).toEqual([])
  expect(packed).toBeGreaterThan(declared)
  expect(readFileSync('deploy/compose.yaml', 'utf8')).toContain('FACTOTUM_COMMIT: ${FACTOTUM_COMMIT:-}')
})

test('what the page on deployment copies from the package is in it', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: readonly string[] }
  const page = readFileSync('docs/deployment.md', 'utf8')
  const copied = [...page.matchAll(/^cp (\S+)/gm)].map(([, path = '']) => path)
  expect(copied).toEqual(['node_modules/factotum/deploy/factotum.service'])
  expect(files).toContain('deploy')
})
