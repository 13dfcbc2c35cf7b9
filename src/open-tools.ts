/** Opens what a turn calls: commands, skills, tools and models. */
import type { AppOptions } from './app-options.ts'
import type { Agents } from './agents/agent.ts'
import { createAgentsFor, type AgentsFor } from './agents/create-agents.ts'
import type { LiveConfig } from './config/config.ts'
import type { ModelRuntimes } from './core/tool/model-runtime.ts'
import { reasonOf } from './platform/error-code.ts'
import type { AddressGuard } from './delivery/address-guard.ts'
import { createCommandRunner, type CommandService } from './execution/run-command.ts'
import { ConfinedPrograms } from './execution/sandbox/confined-programs.ts'
import { SkillCatalog, type Skills } from './execution/skills/skill-catalog.ts'
import { McpServers } from './mcp/mcp-servers.ts'
import { Embedder } from './knowledge/embeddings/embedder.ts'
import { createEmbeddings, createLanguageModel } from './model/create-language-model.ts'
import { ModelFailures, watchEmbeddings, watchModel } from './model/model-failures.ts'
import { withRuntimes } from './model/runtime/runtime-model.ts'
import type { LanguageModel } from './model/language-model.ts'
import type { SecretStore } from './secrets/secret-store.ts'
import { storedForms } from './store/model-forms.ts'
import { recordWorkspaceBytes, type MeasuredWorkspace } from './store/files/workspace-usage.ts'
import type { ServerParts } from './plugins/built-in/built-ins.ts'
import { isSwitchedOff } from './store/plugins/plugin-rows.ts'
import { DELEGATION } from './tools/delegate-tool.ts'
import { SwitchedSource } from './tools/switched-source.ts'
import { ToolCatalog } from './tools/tool-catalog.ts'
import type { Tracing } from './telemetry/tracing.ts'
import type { Stored } from './open-store.ts'
import type { Opened } from './opened.ts'

interface ToolsParts {
  /** Its clock is that of this machine. */
  readonly options: Pick<AppOptions, 'home' | 'environment' | 'clock' | 'logger'>
  /** The file's configuration; `config` has the people of the database, too. */
  readonly file: LiveConfig
  readonly config: LiveConfig
  readonly secrets: SecretStore
  readonly stored: Pick<Stored, 'database' | 'clock'>
  readonly guard: AddressGuard
  readonly runtimes: ModelRuntimes
  readonly tracing: Tracing
}

export interface Tools {
  readonly commands: CommandService
  readonly skills: Skills
  readonly toolCatalog: ToolCatalog
  readonly model: LanguageModel
  readonly modelFailures: ModelFailures
  readonly programs: ConfinedPrograms
  /** Switched as plugins. */
  readonly serverParts: ServerParts
  readonly agentsFor: (own: AgentsFor) => Agents
  readonly embedder: Embedder
}

/** Resolves when commands can run; servers of tools come to the catalogue as they start. */
export async function openTools(parts: ToolsParts, opened: Opened): Promise<Tools> {
  const { config, secrets, runtimes, tracing } = parts
  const { home, environment, clock: hostClock, logger } = parts.options
  const { database, clock } = parts.stored
  // One that is not recorded is measured again behind the session's next command.
  const onMeasured = (measured: MeasuredWorkspace): void =>
    void recordWorkspaceBytes(database, measured).catch((error: unknown) =>
      logger.warn({ error: reasonOf(error), ...measured }, 'the size of a workspace is not recorded'),
    )
  const commands = await createCommandRunner({ home, logger, clock, onMeasured })
  opened.add('commands', () => commands.stop())
  const providers = { config, keys: secrets, proxyEnv: environment, tracing, clock, logger }
  const modelFailures = new ModelFailures(clock)
  const answering = createLanguageModel({ ...providers, formStore: storedForms(database) })
  const model = watchModel(withRuntimes({ model: answering, runtimes, clock }), modelFailures)
  const embeddings = watchEmbeddings(createEmbeddings(providers), modelFailures)
  const embedder = new Embedder({ config, model: embeddings, clock, logger })
  const skills = new SkillCatalog({ home, logger })
  const toolCatalog = new ToolCatalog()
  const delegation = new SwitchedSource(DELEGATION)
  // What it is switched to holds from the first turn on; other plugins come as they start.
  delegation.turn(!(await isSwitchedOff(database, delegation.name)))
  toolCatalog.add(delegation)
  const programs = new ConfinedPrograms({
    home,
    sandbox: () => commands.sandbox(),
    clock: hostClock,
    onProblem: (message) => logger.warn(message),
  })
  const servers = createMcpServers(parts, toolCatalog, programs)
  opened.add('MCP servers', () => servers.stop())
  const agentsFor = createAgentsFor({ config, model, home, clock, logger })
  const serverParts = {
    delegation: { on: () => delegation.turn(true), off: () => delegation.turn(false) },
    mcp: { on: () => servers.start(), off: () => servers.stop() },
  }
  return { commands, skills, toolCatalog, model, modelFailures, programs, serverParts, agentsFor, embedder }
}

function createMcpServers(
  { options, file, secrets, guard, tracing }: Pick<ToolsParts, 'options' | 'file' | 'secrets' | 'guard' | 'tracing'>,
  catalog: ToolCatalog,
  programs: ConfinedPrograms,
): McpServers {
  const { home, clock, logger } = options
  const onSecretsReloaded = (listener: () => void): (() => void) => secrets.onReloaded(listener)
  return new McpServers({
    home,
    config: file,
    catalog,
    keys: secrets,
    onSecretsReloaded,
    programs,
    guard,
    tracing,
    redact: (line) => secrets.redactLine(line),
    clock,
    logger,
  })
}
