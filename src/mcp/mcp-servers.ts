/** The servers of tools of `[mcp.<name>]`: each is a source in the catalogue; they follow the configuration. */
import { createHash } from 'node:crypto'
import type { LiveConfig, McpServerConfig } from '../config/config.ts'
import { Coalesced } from '../platform/waiting/coalesced.ts'
import type { ToolCatalog } from '../tools/tool-catalog.ts'
import type { McpServer, McpServerOptions } from './mcp-server.ts'

export interface McpServersOptions extends Omit<McpServerOptions, 'server'> {
  readonly config: LiveConfig
  readonly catalog: ToolCatalog
  /** Calls the listener when secrets have other values; returns what stops that. */
  readonly onSecretsReloaded: (listener: () => void) => () => void
}

interface Running {
  readonly server: McpServer
  /** All that it was started with. */
  readonly key: string
}

export class McpServers {
  readonly #options: McpServersOptions
  readonly #running = new Map<string, Running>()
  readonly #follow = new Coalesced(() => this.#takeOver())
  readonly #stopListening: (() => void)[] = []
  #isStopped = false

  constructor(options: McpServersOptions) {
    this.#options = options
  }

  /** Their tools come to the catalogue as they start; this waits for none. Again after a `stop`. */
  start(): void {
    this.#isStopped = false
    const { config, onSecretsReloaded } = this.#options
    const follow = (): void => void this.#takeOverSoon()
    this.#stopListening.push(config.onChange(follow), onSecretsReloaded(follow))
    follow()
  }

  /** Resolves when no server runs any more. Repeatable; never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const stop of this.#stopListening.splice(0)) stop()
    await this.#takeOverSoon()
  }

  #takeOverSoon(): Promise<void> {
    return this.#follow
      .run()
      .catch((error: unknown) => this.#options.logger.error(error, 'MCP servers stay as they are'))
  }

  /** Ends what is not wanted any more, or not in this way, and starts what is missing. */
  async #takeOver(): Promise<void> {
    const wanted = this.#isStopped ? new Map<string, McpServerConfig>() : this.#options.config.current().mcp
    const ended = [...this.#running].filter(([name, { key }]) => {
      const server = wanted.get(name)
      return server?.enabled !== true || this.#keyOf(server) !== key
    })
    for (const [name, { server }] of ended) {
      this.#options.catalog.remove(server)
      this.#running.delete(name)
    }
    await Promise.all(ended.map(([, { server }]) => server.stop()))
    const missing = [...wanted.values()].filter(({ name, enabled }) => enabled && !this.#running.has(name))
    for (const server of missing) await this.#begin(server)
  }

  async #begin(config: McpServerConfig): Promise<void> {
    // Loading the protocol takes a third of a second, which a server without tools need not wait for.
    const { McpServer } = await import('./mcp-server.ts')
    const server = new McpServer({ ...this.#options, server: config })
    // It runs also while a plugin has its name: its tools are offered as soon as that one is gone.
    this.#options.catalog.add(server)
    this.#running.set(config.name, { server, key: this.#keyOf(config) })
    server.start()
  }

  /** Another one, when its configuration or the value of one of its secrets is another. */
  #keyOf({ reach, ...rest }: McpServerConfig): string {
    const names = reach.kind === 'PROGRAM' ? reach.env : [reach.bearer ?? '']
    const values = names.map((name) => this.#options.keys.apiKey(name))
    return createHash('sha256')
      .update(JSON.stringify([reach, rest, values]))
      .digest('hex')
  }
}
