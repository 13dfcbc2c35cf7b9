/** Opens the plugins, for app.ts: what they reach of the server, and who runs them. */
import type { LiveConfig } from './config/config.ts'
import type { Refusal } from './core/refusal.ts'
import type { Timing } from './config/timing.ts'
import { appendMessage } from './intake/message/append-message.ts'
import type { MessageAccepted } from './intake/message/announce-message.ts'
import { sendMessage } from './intake/message/send-message.ts'
import type { IntakeContext } from './intake/intake-context.ts'
import type { ConfinedPrograms } from './execution/sandbox/confined-programs.ts'
import type { Logger } from './platform/logger.ts'
import type { Metrics } from './platform/metrics.ts'
import type { LiveHooks } from './plugins/hooks/live-hooks.ts'
import { builtIns, type ServerParts } from './plugins/built-in/built-ins.ts'
import { LivePlugins } from './plugins/live-plugins.ts'
import type { PluginServices } from './plugins/plugin-services.ts'
import type { PluginRuntimes } from './plugins/runtimes/plugin-runtimes.ts'
import type { SecretStore } from './secrets/secret-store.ts'
import type { Stored } from './open-store.ts'
import type { Opened } from './opened.ts'
import type { ToolCatalog } from './tools/tool-catalog.ts'

interface PluginsOptions {
  readonly home: string
  readonly config: LiveConfig
  readonly secrets: SecretStore
  readonly stored: Stored
  readonly intake: IntakeContext
  readonly catalog: ToolCatalog
  readonly hooks: LiveHooks
  readonly runtimes: PluginRuntimes
  readonly programs: Pick<ConfinedPrograms, 'start'>
  readonly serverParts: ServerParts
  readonly metrics: Metrics
  readonly timing: Pick<Timing, 'pluginPollMs'>
  readonly logger: Logger
  /** Nothing of others runs, the servers of tools that a built-in plugin starts included. */
  readonly isPaused: boolean
}

/** They come as they start, if they may: this waits for none. */
export function openPlugins(options: PluginsOptions, opened: Opened): LivePlugins {
  const { home, config, secrets, stored, intake, catalog, hooks, runtimes, programs, serverParts } = options
  const { metrics, timing, logger } = options
  const { database, doorbell, feed, clock } = stored
  const services: PluginServices = {
    database,
    config,
    redactor: () => secrets.redactor,
    sendMessage: async (viewer, { sessionId, text: content }) =>
      refusalOf(await sendMessage(intake, viewer, { sessionId, content, mentioned: true })),
    appendMessage: async (viewer, { sessionId, text: content }) =>
      refusalOf(await appendMessage(intake, viewer, { sessionId, content, role: 'ASSISTANT' })),
    tools: catalog,
    feed,
    programs: { home, programs },
    clock,
    logger,
  }
  // Only what the store knows as a secret is redacted everywhere.
  const secretOf = (name: string): string | null =>
    secrets.known().some((known) => known.name === name) ? secrets.apiKey(name) : null
  const plugins = new LivePlugins({
    home,
    builtIns: builtIns(home, serverParts, clock),
    database,
    doorbell,
    config,
    catalog,
    services,
    secretOf,
    hooks,
    runtimes,
    metrics,
    timing,
    clock,
    logger,
  })
  if (!options.isPaused) plugins.start()
  opened.add(() => plugins.stop())
  return plugins
}

function refusalOf(result: MessageAccepted | Refusal): string | null {
  return result.kind === 'Accepted' ? null : result.message
}
