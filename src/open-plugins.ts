/** Opens the plugins, for app.ts: what they reach of the server, and who runs them. */
import type { AppOptions } from './app-options.ts'
import type { LiveConfig } from './config/config.ts'
import type { Refusal } from './core/refusal.ts'
import { appendMessage } from './intake/message/append-message.ts'
import type { MessageAccepted } from './intake/message/announce-message.ts'
import { sendMessage } from './intake/message/send-message.ts'
import type { IntakeContext } from './intake/intake-context.ts'
import type { Metrics } from './platform/metrics.ts'
import type { LiveHooks } from './plugins/hooks/live-hooks.ts'
import { builtIns } from './plugins/built-in/built-ins.ts'
import { LivePlugins } from './plugins/live-plugins.ts'
import type { PluginServices } from './plugins/plugin-services.ts'
import type { PluginRuntimes } from './plugins/runtimes/plugin-runtimes.ts'
import type { SecretStore } from './secrets/secret-store.ts'
import type { Stored } from './open-store.ts'
import type { Opened } from './opened.ts'
import type { Tools } from './open-tools.ts'

interface PluginsParts {
  readonly options: Pick<AppOptions, 'home' | 'timing' | 'logger' | 'paused'>
  readonly config: LiveConfig
  readonly secrets: SecretStore
  readonly stored: Pick<Stored, 'database' | 'doorbell' | 'feed' | 'clock'>
  readonly intake: IntakeContext
  readonly tools: Pick<Tools, 'toolCatalog' | 'programs' | 'serverParts'>
  readonly hooks: LiveHooks
  readonly runtimes: PluginRuntimes
  readonly metrics: Metrics
}

/**
 * They come as they start, if they may: this waits only until turns know which there are. While it is paused nothing of
 * others runs, the servers of tools that a built-in plugin starts included.
 */
export async function openPlugins(parts: PluginsParts, opened: Opened): Promise<LivePlugins> {
  const { config, secrets, intake, hooks, runtimes, metrics } = parts
  const { home, timing, logger, paused } = parts.options
  const { toolCatalog: catalog, programs, serverParts } = parts.tools
  const { database, doorbell, feed, clock } = parts.stored
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
  opened.add('plugins', () => plugins.stop())
  if (paused !== true) await plugins.start()
  return plugins
}

function refusalOf(result: MessageAccepted | Refusal): string | null {
  return result.kind === 'Accepted' ? null : result.message
}
