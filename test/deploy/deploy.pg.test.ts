/**
 * The examples of deploy/ are used as they stand: the unit is read by systemd's own check, and messages, a WebSocket
 * and a stream of events pass through nginx and Caddy where these are installed.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { dockerSteps } from '../../scripts/docker-steps.ts'
import { ApiClient } from '../harness/api-client.ts'
import { askOperators } from '../harness/ask-operators.ts'
import { lastingPort } from '../harness/lasting-port.ts'
import { PATIENCE } from '../harness/patience.ts'
import { addPlugin, until, update } from '../harness/plugins.ts'
import { eventsOf, send, Story, storyConfig, tokenOf, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { CancelTurnDocument, ServerDocument } from '../generated/graphql.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'
import { answers, PROXIES } from './proxies.ts'

const DEPLOY = join(import.meta.dirname, '../../deploy')
const SYSTEMD = '/usr/bin/systemd-analyze'
const HAPROXY = '/usr/sbin/haproxy'
const PROMTOOL = process.env['PROMTOOL'] ?? '/usr/bin/promtool'

test.skipIf(!existsSync(SYSTEMD))('systemd takes the unit', async () => {
  await using home = await createTemporaryHome()
  // The program of the example is not installed here; every other line is as it stands.
  const unit = await readFile(join(DEPLOY, 'factotum.service'), 'utf8')
  const path = join(home.path, 'factotum.service')
  await writeFile(path, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'))
  const { stdout, stderr } = await promisify(execFile)(SYSTEMD, ['verify', '--man=no', path])
  expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('factotum.service'))).toEqual([])
})

test('a command killed for its memory leaves the server of the unit alone', async () => {
  expect(await readFile(join(DEPLOY, 'factotum.service'), 'utf8')).toMatch(/^OOMPolicy=continue$/m)
})

test('the doctor of the page runs under what the unit sets', async () => {
  const unit = await readFile(join(DEPLOY, 'factotum.service'), 'utf8')
  const page = await readFile(join(DEPLOY, '../docs/deployment.md'), 'utf8')
  const command = /^systemd-run .*$/m.exec(page)?.[0] ?? ''
  const confined = unit.match(/^(?:StateDirectory|UMask|NoNew|Private|Protect|EnvironmentFile).*$/gm) ?? []
  expect(confined.length).toBeGreaterThan(5)
  expect(confined.filter((line) => !command.includes(` -p ${line} `))).toEqual([])
})

test.skipIf(!existsSync(HAPROXY))('HAProxy takes its configuration', async () => {
  const { stdout, stderr } = await promisify(execFile)(HAPROXY, ['-c', '-f', join(DEPLOY, 'haproxy.cfg')])
  expect(`${stdout}${stderr}`).not.toMatch(/alert|warning/i)
})

/** Per minute; `value` as promtool writes a series: from + step × count. */
const ofModel = (name: string, value: string): string =>
  `      - { series: '${name}{provider="p",model="m"${name.endsWith('_total') ? ',code="x"' : ''}}', values: '${value}' }`

const alertsOf = (series: readonly string[], fires: boolean): string => `  - interval: 1m
    input_series:
${series.join('\n')}
    alert_rule_test:
      - eval_time: 29m
        alertname: FactotumModelFails
        exp_alerts: ${fires ? '[{ exp_labels: { severity: warn, provider: p, model: m } }]' : '[]'}`

test.skipIf(!existsSync(PROMTOOL))(
  'a model that a small team cannot use is an alert, a rare failure is none',
  async () => {
    const [failed, answered] = ['factotum_model_failures_total', 'factotum_model_call_seconds_count']
    const tests = [
      alertsOf([ofModel(failed, '0+0.3x30')], true),
      alertsOf([ofModel(failed, '0+0.3x30'), ofModel(answered, '50+0x30')], true),
      alertsOf([ofModel(failed, '0+0.3x30'), ofModel(answered, '0+10x30')], false),
      alertsOf([ofModel(failed, '7+0x30'), ofModel(answered, '0+10x30')], false),
    ]
    await using home = await createTemporaryHome()
    const path = join(home.path, 'alerts.test.yaml')
    await writeFile(path, `rule_files: ['${join(DEPLOY, 'alerts.yaml')}']\ntests:\n${tests.join('\n')}\n`)
    const { stdout } = await promisify(execFile)(PROMTOOL, ['test', 'rules', path]) // rejects with what promtool says
    expect(stdout).toContain('SUCCESS')
  },
)

test('dashboard and alerts ask for figures that there are, and each alert is explained', async () => {
  await using story = await Story.begin()
  await endInEachWay(story)
  await sendTooMuch(story)
  addPlugin(story.home, 'good-plugin', 'good-plugin.ts')
  await until(story, 'good-plugin', 'DISABLED')
  await update(story, { name: 'good-plugin', enabled: true })
  await until(story, 'good-plugin', 'READY')
  const text = await vi.waitFor(async () => {
    const figures = await (await askOperators(story.app.url, '/metrics')).text()
    // A busy machine answers the question whether the database is up too late now and then.
    expect(figures).toMatch(/^factotum_database_up 1$/m)
    return figures
  }, PATIENCE)
  const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name))
  const dashboard = await readFile(join(DEPLOY, 'grafana.json'), 'utf8')
  const alerts = await readFile(join(DEPLOY, 'alerts.yaml'), 'utf8')
  const asked = [...`${dashboard}${alerts}`.matchAll(/\b(?:factotum|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name)
  expect(asked.length).toBeGreaterThan(40)
  expect(asked.filter((name) => !known.has(name.replace(/_(?:bucket|count)$/, '')))).toEqual([])
  const values = valuesAskedFor(`${dashboard.replaceAll('\\"', '"')}${alerts}`)
  expect(values.length).toBeGreaterThan(5)
  expect(values.filter(({ metric, label }) => !new RegExp(`^${metric}\\{(.*,)?${label}[,}]`, 'm').test(text))).toEqual(
    [],
  )
  const operations = await readFile(join(DEPLOY, '../docs/operations.md'), 'utf8')
  const named = (of: string, line: RegExp): string[] => [...of.matchAll(line)].map(([, name = '']) => name)
  expect(named(operations, /^\| `(Factotum\w+)`/gm)).toEqual(named(alerts, /^ {6}- alert: (\w+)$/gm))
  // What a turn and its model call have left in them, and what is looked up.
  for (const line of [
    /^factotum_model_call_seconds_count\{provider="rehearsal",model="\w+"\} [1-9]/m,
    /^factotum_claims_total\{way="\w+"\} [1-9]/m,
    /^factotum_queued_turns 0$/m,
    /^factotum_queue_oldest_seconds 0$/m,
    /^factotum_nodes\{version="[\d.]+"\} 1$/m,
    /^factotum_database_connections\{state="idle"\} [1-9]/m,
    /^factotum_config_reload_ok 1$/m,
    /^factotum_build_info\{version="[\d.]+",commit="\w+"\} 1$/m,
  ])
    expect(text).toMatch(line)
  await story.reconfigure('[settings]\nmax_queued = "many"\n')
  expect(await (await askOperators(story.app.url, '/metrics')).text()).toMatch(/^factotum_config_reload_ok 0$/m)
})

/** As with a token that has leaked. */
async function sendTooMuch(story: Story): Promise<void> {
  await using _few = await story.reconfigureForNow(storyConfig({ settings: { requests_per_minute: 1 } }))
  const cleo = story.as('cleo')
  const both = [await cleo.request(ServerDocument, {}), await cleo.request(ServerDocument, {})]
  expect(both[1]?.errors[0]?.extensions?.['code']).toBe('RATE_LIMITED')
}

/** One turn that is done, one that is cancelled while its planner thinks, one whose planner fails. */
async function endInEachWay(story: Story): Promise<void> {
  const ada = story.as('ada')
  await using watch = watchAll(ada, 'cli:figures')
  await send(ada, 'cli:figures', 'run: echo hello')
  await turnEnd(watch)
  const asked = Promise.withResolvers<void>()
  await using stub = await StubEndpoint.start({ always: () => asked.resolve() })
  await story.reconfigure(storyConfig({ toml: stubProvider(stub) }))
  await send(ada, 'cli:figures', 'think')
  await asked.promise
  await ada.run(CancelTurnDocument, { sessionId: 'cli:figures' })
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'CANCELLED' })
  stub.follow({ always: { status: 401, body: { error: { message: 'no' } } } })
  await send(ada, 'cli:figures', 'think again')
  expect(await turnEnd(watch, 3)).toMatchObject({ turnStatus: 'FAILED' })
}

/** Each value of a label that an expression compares with, as it must stand in /metrics. */
function valuesAskedFor(text: string): { readonly metric: string; readonly label: string }[] {
  return [...text.matchAll(/\b(factotum_\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)[!=]=?~?"([^"]*)"/g)].flatMap(([, name = '', value = '']) =>
      value.split('|').map((one) => ({ metric, label: `${name}="${one}"` })),
    ),
  )
}

test('the image runs as a user without rights, and its check finds a server that answers', async () => {
  const steps = dockerSteps(await readFile(join(DEPLOY, 'Dockerfile'), 'utf8'))
  const valueOf = (name: string): string => steps.findLast(({ instruction }) => instruction === name)?.value ?? ''
  expect(Number(valueOf('USER'))).toBeGreaterThan(0)
  const health = valueOf('HEALTHCHECK')
  const [, ...args] = JSON.parse(health.slice(health.indexOf('['))) as string[]
  await using story = await Story.begin()
  const check = (port: string): Promise<unknown> => promisify(execFile)(process.execPath, args, { env: { PORT: port } })
  await check(new URL(story.app.url).port)
  await expect(check('1')).rejects.toThrow('Command failed')
})

for (const proxy of PROXIES) {
  test.skipIf(!existsSync(proxy.program))(`a turn is seen through ${proxy.example}`, async () => {
    await using story = await Story.begin()
    await using home = await createTemporaryHome()
    const listen = Number(await lastingPort())
    const upstream = Number(new URL(story.as('ada').url).port)
    const config = join(home.path, proxy.example)
    const example = await readFile(join(DEPLOY, proxy.example), 'utf8')
    await writeFile(config, proxy.configure(example, { listen, upstreams: [upstream] }))
    const child = spawn(proxy.program, proxy.args(config, home.path), { stdio: 'ignore', env: { HOME: home.path } })
    try {
      const origin = `http://127.0.0.1:${listen}`
      const base = `${origin}${proxy.path}`
      await answers(`${base}/health`, child)
      const ada = new ApiClient(base, tokenOf('ada'))
      await send(ada, 'cli:proxied', 'run: echo through')
      await using watch = watchAll(ada, 'cli:proxied')
      expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
      expect(eventsOf(watch, 'TaskOutputEvent').map(({ text }) => text)).toContain('through\n')
      expect(await firstEvent(`${base}/graphql`)).toContain('event: next')
      expect(await openConsole(base)).toEqual({ assets: expect.any(Number), loggedIn: 200 })
      const upload = new URL(`${base}/files/${encodeURIComponent('cli:proxied')}/${encodeURIComponent('a/b c.txt')}`)
      const headers = { authorization: `Bearer ${tokenOf('ada')}` }
      expect((await fetch(upload, { method: 'PUT', headers, body: 'x' })).status).toBe(
        (
          await fetch(`${story.app.url}${upload.pathname.slice(proxy.path.length)}`, {
            method: 'PUT',
            headers,
            body: 'x',
          })
        ).status,
      )
    } finally {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    }
  })
}

/** The page of the console, what it loads, and the login that it makes: as a browser finds them from its address. */
async function openConsole(base: string): Promise<{ readonly assets: number; readonly loggedIn: number }> {
  const page = await fetch(base)
  const found = [...(await page.text()).matchAll(/(?:src|href)="(\.?\/?assets\/[^"]+)"/g)]
  const assets = await Promise.all(found.map(([, path = '']) => fetch(new URL(path, page.url))))
  expect(assets.length).toBeGreaterThan(0)
  expect(assets.filter(({ status }) => status !== 200)).toEqual([])
  const { origin } = new URL(base)
  const login = await fetch(new URL('login', page.url), {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token: tokenOf('ada') }),
  })
  return { assets: assets.length, loggedIn: login.status }
}

/** What comes first of a subscription by Server-Sent Events, which stays open: nothing may be buffered. */
async function firstEvent(url: string): Promise<string> {
  const query = 'subscription { sessionEvents(sessionId: "cli:proxied", after: 0) { seq } }'
  const abort = new AbortController()
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenOf('ada')}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query }),
    signal: abort.signal,
  })
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes('event: next')) break
  }
  abort.abort()
  return text
}
