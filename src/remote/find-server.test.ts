import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Environment } from '../config/schema/environment.ts'
import { systemClock } from '../platform/clock.ts'
import { findServer } from './find-server.ts'

const SERVICE = { uid: 65_533, gid: 65_532 }
const IDENTITIES = `[users.ada]\nrole = "admin"\n[tokens.ada]\nkind = "user"\nuser = "ada"\nsha256 = "${'0'.repeat(64)}"\n`
const home = mkdtempSync(join(tmpdir(), 'find-server-'))
afterAll(() => rmSync(home, { recursive: true }))

test.skipIf(process.getuid?.() !== 0)(
  'the token that root makes in the home of a service is the service’s',
  async () => {
    writeFileSync(join(home, 'config.toml'), IDENTITIES)
    chownSync(home, SERVICE.uid, SERVICE.gid)
    const environment = { host: '127.0.0.1', port: 4999, home } as Environment
    const { token } = await findServer({
      flags: {},
      env: {},
      local: () => ({ environment, home }),
      clock: systemClock,
    })
    const kept = join(home, 'terminal-token')
    expect(readFileSync(kept, 'utf8')).toBe(`${token}\n`)
    expect(statSync(kept)).toMatchObject(SERVICE)
    expect(statSync(kept).mode & 0o777).toBe(0o600)
  },
)
