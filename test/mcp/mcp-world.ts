/**
 * Servers of tools as the app runs them, without a database: their catalogue, and a configuration that tests change.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { vi, type TestContext } from 'vitest'
import type { Config, LiveConfig } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { AddressGuard } from '../../src/delivery/address-guard.ts'
import { ConfinedPrograms } from '../../src/execution/sandbox/confined-programs.ts'
import { findDropAccount } from '../../src/execution/sandbox/drop-account.ts'
import { McpServers } from '../../src/mcp/mcp-servers.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { NO_TRACING, type TraceHeaders } from '../../src/telemetry/tracing.ts'
import { ToolCatalog } from '../../src/tools/tool-catalog.ts'
import type { Tool, ToolCall, ToolOutcome, ToolProgress } from '../../src/tools/tool.ts'
import { moveIn } from './move-in.ts'
import { createTestHome } from '../sandbox/sandbox-support.ts'
import { PATIENCE, PATIENCE_MS } from '../harness/patience.ts'

const PEOPLE = `[tokens.cli]\ntoken = "test"\nkind = "user"\nuser = "marco"\n[users.marco]\nrole = "admin"\n`

export type CallInput = Partial<Pick<ToolCall, 'args' | 'timeoutMs' | 'signal' | 'onProgress'>>

export class McpWorld {
  readonly home = createTestHome()
  readonly catalog = new ToolCatalog()
  readonly secrets = new Map<string, string>()
  /** What the guard says that host names lead to. */
  readonly addresses = new Map<string, string>()
  /** What a call carries of a trace; empty: nothing. */
  traceHeaders: TraceHeaders = {}
  /** Lines of the log, as JSON. */
  readonly lines: string[] = []
  readonly #listeners = new Set<(config: Config) => void>()
  readonly #servers: McpServers
  #config = read('')

  /** `onFinished`: of the test that it is for, as several run at once. */
  constructor({ onTestFinished: onFinished }: Pick<TestContext, 'onTestFinished'>) {
    const config: LiveConfig = {
      current: () => this.#config,
      onChange: (listener) => {
        this.#listeners.add(listener)
        return () => this.#listeners.delete(listener)
      },
    }
    const { home, catalog } = this
    const logger = createLogger({ level: 'info', pretty: false, to: { write: (line) => void this.lines.push(line) } })
    const sandbox = () => ({ available: true, tier: 'bubblewrap' }) as const
    const onProblem = (message: string): void => logger.warn(message)
    const resolve = (host: string) => Promise.resolve([{ address: this.addresses.get(host) ?? '127.0.0.1', family: 4 }])
    this.#servers = new McpServers({
      home,
      config,
      catalog,
      keys: { apiKey: (name) => this.secrets.get(name) ?? null },
      onSecretsReloaded: () => () => undefined,
      programs: new ConfinedPrograms({ home, sandbox, clock: systemClock, onProblem }),
      guard: new AddressGuard({ rules: () => ({ webhookRequireHttps: false, webhookAllowList: [] }), resolve }),
      tracing: { ...NO_TRACING, headers: () => this.traceHeaders },
      redact: (line) =>
        [...this.secrets.values()].reduce((text, secret) => text.replaceAll(secret, '[REDACTED]'), line),
      clock: systemClock,
      logger,
      backoff: { firstMs: 200, maxMs: 10_000 },
    })
    this.#servers.start()
    onFinished(async () => {
      await this.#servers.stop()
      rmSync(this.home, { recursive: true, force: true })
    })
  }

  configure(toml: string): void {
    this.#config = read(toml)
    for (const listener of this.#listeners) listener(this.#config)
  }

  /** Starts a server of the zoo, under the name of its file. */
  keep(animal: string, lines = ''): void {
    moveIn(this.home, animal)
    this.configure(`[mcp.${animal}]\ncommand = "node"\nargs = ["${animal}.ts"]\n${lines}`)
  }

  folderOf(name: string): string {
    return join(this.home, 'mcp', name)
  }

  /** Puts a package and all that it depends on into the server's folder. */
  install(name: string, packageName: string): void {
    installMcpServer(this.home, name, packageName)
  }

  tools(source: string): readonly string[] {
    return [...this.catalog.snapshot().tools.values()].flatMap((tool) => (tool.source === source ? [tool.name] : []))
  }

  problem(source: string): string | null {
    return this.catalog.snapshot().problems.get(source) ?? null
  }

  /** Waits until the tool is offered. */
  tool(name: string): Promise<Tool> {
    return vi.waitFor(
      () => {
        const { tools, problems } = this.catalog.snapshot()
        const tool = tools.get(name)
        if (tool === undefined) throw new Error(`no tool ${name}: ${[...problems.values()].join(' ')}`)
        return tool
      },
      { ...PATIENCE, interval: 20 },
    )
  }

  async call(
    name: string,
    input: CallInput = {},
  ): Promise<ToolOutcome & { readonly progress: readonly ToolProgress[] }> {
    return callTool(await this.tool(name), input)
  }
}

export async function callTool(
  tool: Tool,
  input: CallInput = {},
): Promise<ToolOutcome & { readonly progress: readonly ToolProgress[] }> {
  const progress: ToolProgress[] = []
  const outcome = await tool.run({
    args: {},
    sessionId: 'test:1',
    turnId: 'turn',
    taskId: 'task',
    user: { name: 'marco', role: 'ADMIN' },
    onProgress: (step) => progress.push(step),
    signal: new AbortController().signal,
    timeoutMs: PATIENCE_MS,
    ...input,
  })
  return { ...outcome, progress }
}

function read(toml: string): Config {
  const parsed = parseConfig(`${PEOPLE}${toml}`, { production: false })
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}

/** Puts a package and all that it depends on into the server's folder, as "npm install --prefix" does. */
export function installMcpServer(home: string, name: string, packageName: string): void {
  const folder = join(home, 'mcp', name)
  const seen = new Set<string>()
  const copy = (wanted: string): void => {
    const from = join('node_modules', wanted)
    if (seen.has(wanted) || !existsSync(from)) return
    seen.add(wanted)
    cpSync(from, join(folder, from), { recursive: true })
    const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as { dependencies?: object }
    for (const dependency of Object.keys(manifest.dependencies ?? {})) copy(dependency)
  }
  copy(packageName)
  const account = findDropAccount()
  if (account !== null) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, folder])
}
