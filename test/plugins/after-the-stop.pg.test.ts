/** A process that stops: what an admin still changes starts no plugin that nothing would end. */
import { expect, test, vi } from 'vitest'
import { LivePlugins } from '../../src/plugins/live-plugins.ts'
import { LiveHooks } from '../../src/plugins/hooks/live-hooks.ts'
import { PluginRuntimes } from '../../src/plugins/runtimes/plugin-runtimes.ts'
import type { BuiltIn } from '../../src/plugins/built-in/built-ins.ts'
import type { PluginServices } from '../../src/plugins/plugin-services.ts'
import { definePlugin } from '../../src/plugin-api/plugin.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { Redactor } from '../../src/secrets/redaction.ts'
import { systemClock as clock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { Database } from '../../src/store/database.ts'
import { readPlugins } from '../../src/store/plugins/plugin-rows.ts'
import { ToolCatalog } from '../../src/tools/tool-catalog.ts'
import { createTestDatabase } from '../harness/database.ts'
import { PATIENCE } from '../harness/patience.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

test('a change that is committed after the stop starts nothing', async () => {
  await using server = await createTestDatabase()
  await using home = await createTemporaryHome()
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: server.url, maxConnections: 2, logger })
  const life: string[] = []
  const definition = definePlugin({
    name: 'noted',
    version: '1.0.0',
    api: 1,
    title: 'Noted',
    description: 'Notes its life.',
    start: () => void life.push('start'),
    stop: () => void life.push('stop'),
  })
  const noted: BuiltIn = { name: 'noted', origin: 'BUILT_IN', definition, enabledAtFirst: true, stamp: '1' }
  const parsed = parseConfig('[tokens.a]\ntoken = "t"\nkind = "connector"\n[users.ada]\nrole = "admin"\n', {
    production: false,
  })
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  const config = { current: () => parsed.config, onChange: () => () => undefined }
  const services = { redactor: () => Redactor.none, logger, feed: { onPublished: () => () => undefined } }
  const plugins = new LivePlugins({
    home: home.path,
    builtIns: new Map([[noted.name, noted]]),
    database,
    doorbell: { on: () => () => undefined, ring: () => undefined },
    config,
    catalog: new ToolCatalog(),
    services: services as unknown as PluginServices,
    secretOf: () => null,
    hooks: new LiveHooks(),
    runtimes: new PluginRuntimes(clock),
    metrics: createMetrics(),
    timing: { pluginPollMs: 1000, pluginCountsMs: 1000 },
    clock,
    logger,
  })
  await plugins.start()
  await vi.waitFor(() => expect(life).toEqual(['start']), PATIENCE)
  await plugins.stop()
  expect(life).toEqual(['start', 'stop'])
  const [row] = await readPlugins(database)
  await plugins.changed(row?.id ?? '')
  await plugins.stop()
  expect(life).toEqual(['start', 'stop'])
  await database.close()
})
