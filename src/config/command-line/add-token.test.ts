import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { addToken } from './add-token.ts'
import { authenticate } from '../access/authenticate.ts'
import { writeFirstConfig } from '../first-start.ts'
import { configPath, loadConfig } from '../load-config.ts'
import type { TokenAction } from './token-action.ts'

const context = { production: false, clock: systemClock }
const plain: TokenAction = { kind: 'user', user: null, namespace: null, name: null, print: false }

const ENTRY = `{ sha256 = "${'0'.repeat(64)}", kind = "user", user = "admin" }`

/** The config.toml of a first start, with another user. */
async function makeConfig(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'add-token-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const path = configPath(home)
  await writeFirstConfig(path)
  await writeFile(path, '\n# Mine.\n[users.anna]\nrole = "user"\nskills = []', { flag: 'a' })
  return path
}

test('the token is let in, as the only admin, and everything that stood in the file still does', async () => {
  const path = await makeConfig()
  await chmod(path, 0o640)
  const before = await readFile(path, 'utf8')
  const added = await addToken(path, plain, context)
  expect(added).toMatchObject({ name: 'admin', user: 'admin' })
  const { config, warnings } = await loadConfig(path, context)
  expect(warnings).toEqual([])
  expect(authenticate(config, added.token)).toMatchObject({ tokenName: 'admin', role: 'ADMIN' })
  const after = await readFile(path, 'utf8')
  expect(after.startsWith(before)).toBe(true)
  expect(after).not.toContain(added.token)
  expect((await stat(path)).mode & 0o777).toBe(0o640)
  expect(await readdir(join(path, '..'))).toEqual(['config.toml'])
})

test.each<[string, Partial<TokenAction>, object]>([
  ['a user', { user: 'anna' }, { tokenName: 'anna', role: 'USER' }],
  ['a name', { user: 'anna', name: 'phone' }, { tokenName: 'phone' }],
  ['a connector', { kind: 'connector', namespace: 'discord' }, { tokenName: 'discord', user: null }],
])('%s can be chosen', async (_what, choice, viewer) => {
  const path = await makeConfig()
  const { token } = await addToken(path, { ...plain, ...choice }, context)
  expect(authenticate((await loadConfig(path, context)).config, token)).toMatchObject(viewer)
})

test('a connector may be named by an alias before it has its token', async () => {
  const path = await makeConfig()
  await writeFile(path, '\naliases.discord = "anna#1234"\n', { flag: 'a' })
  const { token } = await addToken(path, { ...plain, kind: 'connector', name: 'discord' }, context)
  expect(authenticate((await loadConfig(path, context)).config, token)).toMatchObject({ tokenName: 'discord' })
})

test('many at once are all let in, each under a name of its own', async () => {
  const path = await makeConfig()
  const added = await Promise.all(Array.from({ length: 8 }, () => addToken(path, plain, context)))
  const { config } = await loadConfig(path, context)
  expect(added.map(({ token }) => authenticate(config, token)?.tokenName)).toEqual(added.map(({ name }) => name))
  expect(new Set(added.map(({ name }) => name)).size).toBe(8)
})

test('a link to the file stays a link', async () => {
  const path = await makeConfig()
  const link = join(path, '..', 'link.toml')
  await symlink(path, link)
  const { token } = await addToken(link, plain, context)
  expect(authenticate((await loadConfig(path, context)).config, token)).not.toBeNull()
})

interface Refusal {
  readonly choice?: Partial<TokenAction>
  readonly change?: (text: string) => string
  readonly message: RegExp
}

test.each<[string, Refusal]>([
  [
    'a user who is not there',
    { choice: { user: 'ann' }, message: /no user "ann" \(did you mean "anna"\?\); first add/ },
  ],
  ['a name that is taken', { choice: { name: 'cli' }, message: /There is a token "cli" already/ }],
  ['a name that is none', { choice: { name: 'Größe' }, message: /as a name must be 1 to 32/ }],
  [
    'one of two admins',
    {
      change: (text) => text.replaceAll('role = "user"', 'role = "admin"'),
      message: /--user with one of: admin, anna/,
    },
  ],
  ['a file that is not valid', { change: (text) => `${text}\nnonsense = 1`, message: /nonsense/ }],
  [
    'tokens that are one line',
    { change: () => `tokens = { cli = ${ENTRY} }\n[users.admin]\nrole = "admin"`, message: /TOML/ },
  ],
])('%s is refused, and the file left as it is', async (_what, { choice, change = String, message }) => {
  const path = await makeConfig()
  const before = change(await readFile(path, 'utf8'))
  await writeFile(path, before)
  await expect(addToken(path, { ...plain, ...choice }, context)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(message) as string,
  })
  expect(await readFile(path, 'utf8')).toBe(before)
  expect(await readdir(join(path, '..'))).toEqual(['config.toml'])
})
