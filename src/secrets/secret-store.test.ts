import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Config } from '../config/config.ts'
import { parseConfig } from '../config/parse-config.ts'
import { newWebhookSecret } from '../config/access/webhook-secret.ts'
import { REDACTED } from '../core/text/redacted.ts'
import { systemClock, type Clock } from '../platform/clock.ts'
import { SecretStore } from './secret-store.ts'
import { TIMING } from '../config/timing.ts'

/** A clock whose timers fire when the test says so, with what they were set to. */
function manualClock() {
  const timers = new Set<{ readonly ms: number; readonly action: () => void }>()
  const after: Clock['after'] = (ms, action) => {
    const timer = { ms, action }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  const fire = (ms: number): void => {
    for (const timer of [...timers].filter((timer) => timer.ms === ms)) {
      timers.delete(timer)
      timer.action()
    }
  }
  const sleep: Clock['sleep'] = (ms, signal) =>
    new Promise((resolve) => {
      const cancel = after(ms, resolve)
      signal?.addEventListener('abort', () => (cancel(), resolve()), { once: true })
    })
  let passedMs = 0
  const pass = (ms: number): void => void (passedMs += ms)
  const monotonicMs = (): number => systemClock.monotonicMs() + passedMs
  return { ...systemClock, monotonicMs, after, sleep, fire, pass, timers }
}

const WEBHOOK_SECRET = newWebhookSecret()
const CONFIG = `
[tokens.cli]
kind = "user"
user = "ada"
token = "plain-token-of-the-cli"
webhook_secret = "${WEBHOOK_SECRET}"
webhook_secret_env = "HOOK_SECRET"
[users.ada]
role = "admin"
[providers.one]
base_url = "https://one.example/v1"
api_key_env = "ONE_KEY"
[models]
planner = "one:m"
[settings]
worker_idle_timeout = 7
`

function readConfig(toml: string): Config {
  const parsed = parseConfig(toml, { production: false })
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}

async function openStore({ dotEnv = '', env = {} }: { dotEnv?: string; env?: Record<string, string> } = {}) {
  const home = await mkdtemp(join(tmpdir(), 'secret-store-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const write = (text: string): Promise<void> => writeFile(join(home, '.env'), text, { mode: 0o600 })
  await write(dotEnv)
  const lines: string[] = []
  const logger = pino({}, { write: (line: string) => void lines.push(line) })
  const clock = manualClock()
  const listeners: (() => void)[] = []
  const live = { config: readConfig(CONFIG) }
  const config = {
    current: () => live.config,
    onChange: (listener: (config: Config) => void) => {
      listeners.push(() => listener(live.config))
      return () => undefined
    },
  }
  const store = new SecretStore({ home, env, config, timing: TIMING, clock, logger })
  onTestFinished(() => store.stop())
  const reconfigure = (toml: string): void => {
    live.config = readConfig(toml)
    for (const listener of listeners) listener()
  }
  return { store, write, lines, clock, reconfigure }
}

const hides = (store: SecretStore, value: string): boolean => store.redactor.redact(`(${value})`) === `(${REDACTED})`

describe('deploy secrets', () => {
  test('are every line of .env, and of the environment what has the name of a secret or is named as one', async () => {
    const env = {
      KISO_SKILL_SEARCH_KEY: 'kiso-skill-secret',
      FACTOTUM_SKILL_SEARCH_KEY: 'factotum-skill-secret',
      KISO_CONNECTOR_CHAT_KEY: 'kiso-connector-secret',
      ONE_KEY: 'key-of-the-provider',
      HOOK_SECRET: WEBHOOK_SECRET.replace(/.{4}=?$/, 'AAA='),
      DATABASE_URL: 'postgres://me:p%40ssw0rd-of-db@localhost/db',
      HTTPS_PROXY: 'http://me:password-of-proxy@proxy:3128',
      PATH: '/usr/local/bin:/usr/bin',
    }
    const { store } = await openStore({ dotEnv: 'ANY_NAME="any line at all"', env })
    const known = ['any line at all', 'kiso-skill-secret', 'factotum-skill-secret', 'kiso-connector-secret']
    const named = ['key-of-the-provider', env.HOOK_SECRET, WEBHOOK_SECRET, 'plain-token-of-the-cli']
    const passwords = ['p%40ssw0rd-of-db', 'p@ssw0rd-of-db', 'password-of-proxy']
    expect([...known, ...named, ...passwords].filter((value) => !hides(store, value))).toEqual([])
    expect(hides(store, env.PATH)).toBe(false)
  })

  test('are of the settings for a collector its keys alone, wherever they stand: the others are names and addresses', async () => {
    const dotEnv = [
      'OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20key-of-the-collector,x-tenant=tenant-of-the-team"',
      'OTEL_EXPORTER_OTLP_ENDPOINT=https://user:password-in-it@collector.example.org',
      'OTEL_SERVICE_NAME=factotum-team',
    ]
    const env = { OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=key-for-traces' }
    const { store } = await openStore({ dotEnv: dotEnv.join('\n'), env })
    const keys = ['key-of-the-collector', 'tenant-of-the-team', 'password-in-it', 'key-for-traces']
    expect(keys.filter((key) => !hides(store, key))).toEqual([])
    expect(hides(store, 'factotum-team') || hides(store, 'collector.example.org')).toBe(false)
  })

  test('are not the variables of the server itself, of which an address has its password hidden', async () => {
    const address = 'DATABASE_URL=postgres://me:password-of-db@database.example.org/factotum'
    const dotEnv = ['NODE_ENV=production', 'HOST=127.0.0.1', 'PORT=4000', address, 'KEY=short'].join('\n')
    const { store, lines } = await openStore({ dotEnv })
    const said = 'Deploy 127.0.0.1 to production with database.example.org'
    expect(store.redactor.redact(said)).toBe(said)
    expect(hides(store, 'password-of-db')).toBe(true)
    expect(lines.join('')).toContain('["KEY of .env"]')
  })

  test('come from the environment before .env; both values are hidden', async () => {
    const { store } = await openStore({ dotEnv: 'ONE_KEY=value-in-the-file', env: { ONE_KEY: 'value-in-environment' } })
    expect(store.apiKey('ONE_KEY')).toBe('value-in-environment')
    expect(store.forSession('s').deploy('ONE_KEY')).toBe('value-in-environment')
    expect(hides(store, 'value-in-the-file') && hides(store, 'value-in-environment')).toBe(true)
  })

  test('that are too short are not hidden, and named in a warning, once and without the value', async () => {
    const { store, lines, write } = await openStore({ dotEnv: 'PIN=4711\nDEBUG=1' })
    await write('PIN=4711\nDEBUG=1\nMORE=more-than-enough')
    store.reload()
    expect(store.redactor.redact('4711')).toBe('4711')
    const warnings = lines.filter((line) => line.includes('not hidden'))
    expect(warnings).toEqual([expect.stringMatching(/DEBUG of \.env.*PIN of \.env.*at least 8 characters/)])
    expect(warnings[0]).not.toContain('4711')
  })

  test('hide no word that is the name of the user in the address as well', async () => {
    const { store } = await openStore({ env: { DATABASE_URL: 'postgres://postgres:postgres@localhost/postgres' } })
    expect(hides(store, 'postgres')).toBe(false)
  })

  test('change with .env: within a second by themselves, at once when asked; a rotated value stays hidden', async () => {
    const { store, write, clock } = await openStore({ dotEnv: 'A=first-value\nB=other-value' })
    const secrets = store.forSession('s')
    await write('A=second-value\nB=other-value')
    expect(hides(store, 'second-value')).toBe(false)
    await expect.poll(() => clock.timers.size).toBe(1)
    clock.fire(1000)
    await expect.poll(() => hides(store, 'second-value')).toBe(true)
    expect(hides(store, 'first-value')).toBe(true)
    await write('A=third-value\nC=new-value')
    expect(store.reload()).toEqual({ kind: 'Reloaded', names: ['A', 'C'] })
    const values = ['first-value', 'third-value', 'other-value']
    expect(values.filter((value) => !hides(store, value))).toEqual([])
    expect(secrets.redactor().redact('new-value')).toBe(REDACTED)
  })

  test('stay hidden for a day when they are gone, as when .env is empty for the moment in which it is written', async () => {
    const { store, write, clock } = await openStore({ dotEnv: 'A=first-value\nB=other-value' })
    await write('A=second-value\nB=other-value')
    store.reload()
    clock.pass(48 * 3_600_000)
    await write('')
    expect(store.reload()).toEqual({ kind: 'Reloaded', names: [] })
    const values = ['first-value', 'second-value', 'other-value']
    expect(values.filter((value) => !hides(store, value))).toEqual([])
    await write('A=second-value')
    store.reload()
    expect(values.filter((value) => !hides(store, value))).toEqual([])
    clock.pass(23 * 3_600_000)
    store.reload()
    expect(values.filter((value) => !hides(store, value))).toEqual([])
    clock.pass(3_600_000)
    store.reload()
    expect(values.filter((value) => !hides(store, value))).toEqual(['other-value'])
  })

  test('that are gone are kept up to 500', async () => {
    const values = Array.from({ length: 501 }, (_, n) => `value-number-${1000 + n}`)
    const { store, write } = await openStore({ dotEnv: values.map((value, n) => `NAME_${n}=${value}`).join('\n') })
    await write('')
    store.reload()
    expect(values.filter((value) => !hides(store, value))).toHaveLength(1)
  })

  test('are known before anybody is handed one: asking for it reads the file', async () => {
    const { store, write } = await openStore()
    await write('FRESH=fresh-from-the-file')
    expect(store.apiKey('FRESH')).toBe('fresh-from-the-file')
    expect(hides(store, 'fresh-from-the-file')).toBe(true)
  })

  test('change with config.toml', async () => {
    const { store, reconfigure } = await openStore({ env: { TWO_KEY: 'key-of-provider-two' } })
    expect(hides(store, 'key-of-provider-two')).toBe(false)
    reconfigure(CONFIG.replace('ONE_KEY', 'TWO_KEY').replace('plain-token-of-the-cli', 'another-token-of-cli'))
    expect(hides(store, 'key-of-provider-two') && hides(store, 'another-token-of-cli')).toBe(true)
  })
})

describe('ephemeral secrets', () => {
  const said = [{ key: 'api_token', value: 'said-in-confidence' }]

  test('belong to their session; the log hides those of all', async () => {
    const { store } = await openStore()
    const [mine, other] = [store.forSession('mine'), store.forSession('other')]
    mine.remember(said)
    expect(mine.ephemeral()).toEqual(new Map([['api_token', 'said-in-confidence']]))
    expect(other.ephemeral().size).toBe(0)
    expect(mine.redactor().redact('said-in-confidence plain-token-of-the-cli')).toBe(`${REDACTED} ${REDACTED}`)
    expect(other.redactor().redact('said-in-confidence')).toBe('said-in-confidence')
    expect(store.redactLine('{"msg":"said-in-confidence"}')).toBe(`{"msg":"${REDACTED}"}`)
  })

  test('are kept while a turn runs and worker_idle_timeout longer, not beyond', async () => {
    const { store, clock } = await openStore()
    const secrets = store.forSession('s')
    const endFirst = store.hold('s')
    secrets.remember(said)
    clock.fire(7000)
    expect(secrets.ephemeral().size).toBe(1)
    endFirst()
    const endSecond = store.hold('s')
    clock.fire(7000)
    expect(secrets.ephemeral().size).toBe(1)
    endSecond()
    clock.fire(7000)
    expect(secrets.ephemeral().size).toBe(0)
    expect(secrets.redactor().redact('said-in-confidence')).toBe('said-in-confidence')
    await expect.poll(() => clock.timers.size).toBe(1) // the poll of .env
  })

  test('are not kept without end: the oldest go when they are more than anybody has to say', async () => {
    const { store } = await openStore()
    const secrets = store.forSession('s')
    const values = Array.from({ length: 10 }, (_, n) => `${n}`.padEnd(4000, `long-${n}-`))
    for (const [n, value] of values.entries()) secrets.remember([{ key: `key_${n}`, value }])
    expect([...secrets.ephemeral().keys()]).toEqual(values.slice(6).map((_, n) => `key_${n + 6}`))
    expect(values.map((value) => secrets.redactor().redact(value) === REDACTED)).toEqual(values.map((_, n) => n >= 6))
  })

  test('go with their session', async () => {
    const { store, clock } = await openStore()
    const secrets = store.forSession('s')
    secrets.remember(said)
    store.forget('s')
    expect(secrets.ephemeral().size).toBe(0)
    await expect.poll(() => clock.timers.size).toBe(1)
  })

  test('may be said anew: the key has the new value, and both are hidden', async () => {
    const { store } = await openStore()
    const secrets = store.forSession('s')
    secrets.remember(said)
    secrets.remember([{ key: 'api_token', value: 'said-later-on' }])
    expect(secrets.ephemeral().get('api_token')).toBe('said-later-on')
    expect(secrets.redactor().redact('said-in-confidence said-later-on')).toBe(`${REDACTED} ${REDACTED}`)
  })

  test('that are too short are not kept; one whose key is no name is hidden, but nobody can ask for it', async () => {
    const { store, lines } = await openStore()
    const secrets = store.forSession('s')
    // No digits alone: the time in a line of the log may hold them.
    secrets.remember([
      { key: 'pin', value: '4-7!1' },
      { key: 'no name', value: 'hidden-all-the-same' },
    ])
    expect(secrets.ephemeral().size).toBe(0)
    expect(secrets.redactor().redact('4-7!1 hidden-all-the-same')).toBe(`4-7!1 ${REDACTED}`)
    expect(lines.join('')).toContain('pin')
    expect(lines.join('')).not.toContain('4-7!1')
  })
})
