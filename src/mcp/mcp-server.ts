/**
 * One server of tools of the configuration: connects, follows its list of tools, and connects again after growing
 * pauses when it is lost.
 *
 *   connecting → serving (tools are there) → lost → pause → connecting …
 *
 * What must hold: its tools are offered only while it serves; and a call goes to what was offered, or nowhere.
 */
import type { McpServerConfig } from '../config/config.ts'
import { AppError, isOutage, messageOf } from '../core/errors.ts'
import type { BackoffPolicy } from '../platform/waiting/backoff.ts'
import type { Logger } from '../platform/logger.ts'
import { toStorable } from '../platform/well-formed.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import { NO_TRACING } from '../telemetry/tracing.ts'
import type { Tool, ToolCall, ToolOutcome, ToolSource } from '../tools/tool.ts'
import { callServerTool } from './call-server-tool.ts'
import { connect, endOf, type ConnectionMeans, type McpConnection } from './mcp-connection.ts'
import { readTools, type ReadTool, type ToolList } from './read-tools.ts'

export interface McpServerOptions extends ConnectionMeans {
  readonly server: McpServerConfig
  readonly logger: Logger
  /** For tests: shorter pauses. */
  readonly backoff?: BackoffPolicy
}

const BACKOFF: BackoffPolicy = { firstMs: 1000, maxMs: 120_000 }
/** One that is lost sooner counts as one that did not start. */
const STABLE_MS = 60_000
/** A list that changes all the time is read once in so long. */
const READ_AGAIN_MS = 1000
/** Of a cause, as admins are shown it, and of what a program printed last, in the log. */
const MAX_CAUSE_CHARS = 2000
/** Tools that are not offered, of which admins are shown why. */
const MAX_REFUSED = 3

interface Serving {
  readonly connection: McpConnection
  /** By the names under which they are offered. */
  readonly offered: ReadonlyMap<string, ReadTool>
}

export class McpServer implements ToolSource {
  readonly name: string
  readonly origin = 'MCP'
  readonly #options: McpServerOptions
  readonly #lives: Periodic
  #serving: Serving | null = null
  #tools: readonly Tool[] = []
  /** As all in a session may read it. */
  #problem: string | null
  /** What is behind it, for admins: it may hold what the server said. */
  #cause: string | null = null
  /** The tools that were not offered the last time: a list that changes all the time is no reason to say it again. */
  #refused = '[]'
  /** Aborts when the list of tools has changed. */
  #change = new AbortController()

  constructor(options: McpServerOptions) {
    const { server, clock, logger, backoff = BACKOFF } = options
    this.#options = options
    this.name = server.name
    this.#problem = this.#sentence('is starting')
    const tick = (signal: AbortSignal): Promise<'again'> => this.#live(signal)
    this.#lives = new Periodic({
      name: `MCP server ${server.name}`,
      everyMs: 0,
      tick,
      isOutage,
      clock,
      logger,
      backoff,
    })
  }

  start(): void {
    this.#lives.start()
  }

  /** Resolves when nothing of it runs any more; calls under way end as unknown. Repeatable; never rejects. */
  async stop(): Promise<void> {
    await this.#lives.stop()
    this.#become('was stopped')
  }

  tools(): readonly Tool[] {
    return this.#tools
  }

  /** For admins. */
  problem(): string | null {
    return this.#problem === null || this.#cause === null ? this.#problem : `${this.#problem} ${this.#cause}`
  }

  /** From connecting to being lost. Rejects with TOOLS_UNREACHABLE when that was soon. */
  async #live(signal: AbortSignal): Promise<'again'> {
    const { clock, server } = this.#options
    const sinceMs = clock.monotonicMs()
    let connection: McpConnection | null = null
    try {
      connection = await connect(server, this.#options, { signal, onToolsChanged: () => this.#change.abort() })
      await this.#serve(connection, signal)
    } catch (error) {
      if (signal.aborted) return 'again'
      this.#become('is not there; it is tried again', `Why: ${causesOf(error)}`)
      throw error
    } finally {
      this.#serving = null
      this.#tools = []
      await connection?.close()
    }
    if (signal.aborted) return 'again'
    this.#noteEnd(connection)
    if (clock.monotonicMs() - sinceMs < STABLE_MS) throw new AppError('TOOLS_UNREACHABLE', 'it ended soon')
    return 'again'
  }

  /** Resolves when the connection has ended, or is to end. */
  async #serve(connection: McpConnection, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const over = AbortSignal.any([connection.ended, signal])
    while (!over.aborted) {
      this.#change = new AbortController()
      await this.#read(connection, over)
      await clock.sleep(READ_AGAIN_MS, over)
      await untilAborted(AbortSignal.any([this.#change.signal, over]))
    }
  }

  async #read(connection: McpConnection, signal: AbortSignal): Promise<void> {
    const { server, logger } = this.#options
    const { tools, refused } = await readTools(connection.client, {
      source: this.name,
      timeoutMs: server.timeoutMs,
      signal,
    })
    const written = JSON.stringify(refused)
    if (refused.length > 0 && written !== this.#refused)
      logger.warn({ server: this.name, refused }, 'tools of an MCP server are not offered')
    this.#refused = written
    if (this.#serving === null)
      logger.info({ server: this.name, tools: tools.length }, 'an MCP server offers its tools')
    this.#serving = { connection, offered: new Map(tools.map((tool) => [tool.name, tool])) }
    this.#tools = tools.map((tool) => this.#toTool(tool))
    if (refused.length === 0) this.#problem = null
    else this.#become(`has ${refused.length} tools that cannot be offered`, describeRefused(refused))
  }

  #become(what: string, cause: string | null = null): void {
    this.#problem = this.#sentence(what)
    this.#cause = cause === null ? null : toStorable(this.#options.redact(oneLine(cause)).slice(0, MAX_CAUSE_CHARS))
  }

  #toTool({ remoteName, ...offer }: ReadTool): Tool {
    const { timeoutMs } = this.#options.server
    return { ...offer, timeoutMs, run: (call) => this.#run(offer, remoteName, call) }
  }

  #run({ name, fingerprint }: Omit<ReadTool, 'remoteName'>, remoteName: string, call: ToolCall): Promise<ToolOutcome> {
    const serving = this.#serving
    const now = serving?.offered.get(name)
    if (serving === null || now?.fingerprint !== fingerprint) return Promise.resolve(this.#notCalled(now !== undefined))
    const { server, tracing = NO_TRACING } = this.#options
    const options = { remoteName, timeoutMs: server.timeoutMs, meta: tracing.headers() }
    return callServerTool(serving.connection.client, call, options)
  }

  #notCalled(isThere: boolean): ToolOutcome {
    const why = isThere ? 'the server has changed it since it was offered.' : 'the server does not offer it any more.'
    return { kind: 'failed', text: `It was not called: ${this.#serving === null ? this.#problem : why}` }
  }

  #noteEnd(connection: McpConnection): void {
    const { why, lastWords: printed } = connection.describeEnd()
    const lastWords = printed.slice(-MAX_CAUSE_CHARS).toWellFormed()
    this.#become('was lost; it is started again', `Why: it ${endOf(connection)}`)
    this.#options.logger.warn({ server: this.name, why, lastWords }, 'an MCP server is lost; it is started again')
  }

  #sentence(what: string): string {
    return `The MCP server "${this.name}" ${what}.`
  }
}

/** Down to the first: "fetch failed" alone says nothing. */
function causesOf(error: unknown): string {
  const messages: string[] = []
  for (let at: unknown = error; at !== undefined && messages.length < 5; at = (at as { cause?: unknown }).cause) {
    const message = messageOf(at)
    if (!messages.some((said) => said.includes(message))) messages.push(message)
    if (!(at instanceof Error)) break
  }
  return messages.join(': ')
}

function describeRefused(refused: ToolList['refused']): string {
  const shown = refused.slice(0, MAX_REFUSED).map(({ name, reason }) => `${name}: ${reason}`)
  return [...shown, ...(refused.length > MAX_REFUSED ? ['…'] : [])].join('; ')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
