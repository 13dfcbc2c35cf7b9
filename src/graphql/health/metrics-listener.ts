/**
 * /metrics and /ready with all details, without a token, on an address of their own (`metrics_listen`): who reaches it
 * is the operator's to decide, so it is loopback or a network of theirs. Websites do not: a name that is not known is
 * refused here too.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LiveConfig } from '../../config/config.ts'
import type { Logger } from '../../platform/logger.ts'
import { listen } from '../http/listen.ts'
import { isKnownHost, unknownHost } from '../http/known-host.ts'
import { answerProbe, sendJson, type ProbesOptions } from './probes.ts'
import { SAFE_HEADERS } from '../http/safe-headers.ts'
import { hostInUrl } from '../../platform/host-in-url.ts'

const LIMITS = { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 30_000 } as const
const MAX_CONNECTIONS = 100

export interface MetricsListenerOptions extends ProbesOptions {
  readonly host: string
  readonly port: number
  readonly config: LiveConfig
  readonly logger: Logger
}

export class MetricsListener {
  readonly #options: MetricsListenerOptions
  readonly #server: Server

  constructor(options: MetricsListenerOptions) {
    this.#options = options
    this.#server = createServer(LIMITS, (request, response) => void this.#handle(request, response))
    this.#server.maxConnections = MAX_CONNECTIONS
  }

  /** Rejects with an AppError when the address cannot be had. */
  async start(): Promise<void> {
    const { host, port, logger } = this.#options
    await listen(this.#server, { host, port, setBy: 'metrics_listen under [settings] in config.toml' })
    logger.info({ url: this.url }, '/metrics and /ready are served for operators')
  }

  /** Where it answers. */
  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo
    return `http://${hostInUrl(address)}:${port}`
  }

  /** Closes open connections at once, also those with a request in progress. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host, config, logger } = this.#options
    for (const [name, value] of SAFE_HEADERS) response.setHeader(name, value)
    const { publicUrl, allowedHosts } = config.current().settings
    if (!isKnownHost(request.headers.host, { listening: host, publicUrl, allowedHosts }))
      return sendJson(response, 421, { error: unknownHost(request.headers.host ?? '') })
    try {
      const [path = ''] = request.url?.split('?') ?? []
      if (await answerProbe({ path, response, isOperator: () => true }, this.#options)) return
      sendJson(response, 404, { error: 'Here are /health, /ready and /metrics.' })
    } catch (error) {
      logger.error({ err: error }, 'a probe could not be answered; it gets status 500')
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, { error: 'Something went wrong on our side; the log says what.' })
    }
  }
}
