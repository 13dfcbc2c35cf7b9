/** A database that does not take what a plugin says of itself. */
import { expect, test } from 'vitest'
import type { BuiltIn } from '../../src/plugins/built-in/built-ins.ts'
import { KnownPlugins } from '../../src/plugins/found/known-plugins.ts'
import { InProcessPlugin } from '../../src/plugins/in-process-plugin.ts'
import { definePlugin } from '../../src/plugin-api/plugin.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { systemClock as clock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { createTestDatabase } from '../harness/database.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

const logger = createLogger({ level: 'silent', pretty: false })
const parsed = parseConfig('[tokens.a]\ntoken = "t"\nkind = "connector"\n[users.ada]\nrole = "admin"\n', {
  production: false,
})

test('the plugin is as it was, and is loaded again with the next poll, not at once', async () => {
  await using server = await createTestDatabase()
  await using home = await createTemporaryHome()
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  const config = { current: () => parsed.config, onChange: () => () => undefined }
  const database = new Database({ url: server.url, maxConnections: 2, logger })
  const port = { ask: () => Promise.resolve(null), log: () => undefined, end: () => undefined }
  let wakes = 0
  const knownOf = (version: string): KnownPlugins => {
    const definition = definePlugin({
      name: 'noted',
      version,
      api: 1,
      title: 'Noted',
      description: 'Notes what is said.',
      hooks: { onMessage: () => undefined },
    })
    const noted: BuiltIn = { name: 'noted', origin: 'BUILT_IN', definition, enabledAtFirst: true, stamp: version }
    return new KnownPlugins({
      home: home.path,
      builtIns: new Map([[noted.name, noted]]),
      config,
      database,
      doorbell: { ring: () => undefined },
      load: () => Promise.resolve(new InProcessPlugin(definition, port)),
      onChange: () => void (wakes += 1),
      clock,
      logger,
    })
  }
  const older = knownOf('1.0.0')
  older.scan()
  await older.settled()
  expect(wakes).toBe(1)

  const newer = knownOf('2.0.0')
  await newer.recall()
  await database.query({ name: '', text: `ALTER TABLE plugins ADD CONSTRAINT old CHECK (version < '2')` }, [])
  newer.scan()
  await newer.settled()
  expect([wakes, newer.get('noted'), newer.saidOf('noted')?.hooks]).toEqual([1, undefined, ['onMessage']])

  await database.query({ name: '', text: 'ALTER TABLE plugins DROP CONSTRAINT old' }, [])
  newer.scan()
  await newer.settled()
  expect([wakes, newer.get('noted')?.manifest?.version]).toEqual([2, '2.0.0'])
  await database.close()
})
