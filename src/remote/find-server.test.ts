import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Environment } from '../config/schema/environment.ts'
import { systemClock } from '../platform/clock.ts'
import { findServer } from './find-server.ts'

const SERVICE = { uid: 65_533, gid: 65_532 }
const IDENTITIES = `[users.ada]\nrole = "admin"\n[tokens.ada]\nkind = "user"\nuser = "ada"\nsha256 = "${'0'.repeat(64)}"\n`
const home = mkdtempSync(join(tmpdir(), 'find-server-'))
afterAll(() => rmSync(home, { recursive: true }))

const environment = { host: '127.0.0.1', port: 4999, home } as Environment
const kept = join(home, 'terminal-token')

function find() {
  return findServer({ flags: {}, env: {}, local: () => ({ environment, home }), clock: systemClock })
}

describe.skipIf(process.getuid?.() !== 0)('in the home of a service', () => {
  test('the token that root makes is the service’s', async () => {
    writeFileSync(join(home, 'config.toml'), IDENTITIES)
    chownSync(home, SERVICE.uid, SERVICE.gid)
    const { token } = await find()
    expect(readFileSync(kept, 'utf8')).toBe(`${token}\n`)
    expect(statSync(kept)).toMatchObject(SERVICE)
    expect(statSync(kept).mode & 0o777).toBe(0o600)
  })

  test('a link in its place has root send no other file to where the service says', async () => {
    const secret = join(home, 'of-root')
    writeFileSync(secret, 'root-alone', { mode: 0o600 })
    rmSync(kept, { force: true })
    symlinkSync(secret, kept)
    await expect(find()).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(kept) })
  })
})
