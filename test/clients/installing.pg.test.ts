/** The client as a frontend gets it: installed by npm from the running server, into an empty folder. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import serverPackage from '../../package.json' with { type: 'json' }
import { Story, tokenOf } from '../harness/story.ts'
import { createTemporaryHome, type TemporaryHome } from '../harness/temporary-home.ts'
import { ASKING_SCRIPT, NO_SOCKET } from './installed-client.ts'

const run = promisify(execFile)

/** This one, and what the system has, where it is another: Debian's is Node 20, which has no WebSocket.
 * `npm run test:install` has Node 22 as well, from the registry. */
const NODES = [process.execPath, '/usr/bin/node'].filter((path) => existsSync(path))
const nodes = NODES.map((path) => [execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(), path] as const)

const TYPES = `
import { connect, type SessionState } from '@factotum/client'
import { resuming } from '@factotum/client/resuming'
import { createClient } from 'graphql-ws/client'
export const socket = resuming(createClient({ url: 'ws://127.0.0.1:4000/graphql' }))
export async function ask(text: string): Promise<string | null> {
  const asked = await connect({ url: 'http://127.0.0.1:4000' }).session('@anna:demo').ask(text)
  return asked.__typename === 'Answered' ? asked.answer : asked.problem
}
// What older types of Node read from a file: bytes that may be shared.
export const put = (bytes: Uint8Array) => connect({ url: 'http://127.0.0.1:4000' }).session('@anna:demo').upload('a', bytes)
export const last = ({ entries }: SessionState): string => entries.at(-1)?.content ?? ''
`

let story: Story
let folder: TemporaryHome
beforeAll(async () => {
  story = await Story.begin()
  folder = await createTemporaryHome()
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'script.js'), ASKING_SCRIPT)
  await writeFile(join(folder.path, 'types.ts'), TYPES)
  // From here instead of from a registry, of which there is none: everything else comes from the server.
  const dependencies = ['graphql-ws', 'graphql', 'ws'].map((name) => resolve('node_modules', name))
  const places = ['--registry=http://127.0.0.1:9', '--fetch-retries=0', `--cache=${join(folder.path, 'cache')}`]
  const options = [
    ...places,
    '--install-links',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--loglevel=error',
  ]
  await run('npm', ['install', ...options, `${story.app.url}/client.tgz`, ...dependencies], { cwd: folder.path })
})
afterAll(async () => {
  await folder[Symbol.asyncDispose]()
  await story[Symbol.asyncDispose]()
})

test.each(nodes)('Node %s connects and asks', async (version, node) => {
  const id = `cli:installed-${version}`
  const { stdout } = await run(node, ['script.js', story.app.url, tokenOf('ada'), id], { cwd: folder.path })
  expect(JSON.parse(stdout)).toEqual({
    answer: expect.stringContaining('Forty-two?'),
    resuming: 'function',
    problem: version.startsWith('v20.') ? NO_SOCKET : null,
  })
})

test('it is of the version of its server, and small', async () => {
  const installed = join(folder.path, 'node_modules/@factotum/client')
  const own = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>
  expect(own).toMatchObject({ version: serverPackage.version, dependencies: { 'graphql-ws': expect.any(String) } })
  expect(Object.keys(own['dependencies'] as object)).toEqual(['graphql-ws'])
  const response = await fetch(`${story.app.url}/client.tgz`)
  expect((await response.arrayBuffer()).byteLength).toBeLessThan(200_000)
  const again = await fetch(response.url, { headers: { 'if-none-match': response.headers.get('etag') ?? '' } })
  expect(again.status).toBe(304)
})

test.each([
  ['a page', ['--moduleResolution', 'bundler', '--lib', 'es2023,dom']],
  ['a program of Node', ['--moduleResolution', 'bundler', '--lib', 'es2023', '--types', 'node']],
])('its types need no more than %s has', async (_what, options) => {
  const all = ['--noEmit', '--strict', '--module', 'esnext', '--typeRoots', resolve('node_modules/@types'), ...options]
  const compiled = run(resolve('node_modules/.bin/tsc'), [...all, 'types.ts'], { cwd: folder.path })
  await expect(compiled).resolves.toEqual({ stdout: '', stderr: '' })
})

test('its types are those of TypeScript before 5.7, too, where typed arrays have no parameter', async () => {
  const types = join(folder.path, 'node_modules/@factotum/client/dist')
  const files = (await readdir(types, { recursive: true })).filter((file) => file.endsWith('.d.ts'))
  const texts = await Promise.all(files.map((file) => readFile(join(types, file), 'utf8')))
  expect(texts.join('\n').match(/\w+Array<Array\w*>/)).toBeNull()
})
