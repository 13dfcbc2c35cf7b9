/** A setting that is declared and that nothing reads would be a lie to who sets it. */
import { readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { settingsSchema, toSettings } from '../../src/config/schema/settings-schema.ts'
import type { PluginDefinition } from '../../src/plugin-api/plugin.ts'
import { builtIns } from '../../src/plugins/built-in/built-ins.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

/** What hooks are called with: the fields that any of them reads. */
const DATA = { workspace: '/nowhere', sections: [], text: '', args: '', name: 'x' }

/** The settings that a plugin reads when it is started, and whatever it has is called once. */
async function settingsRead(definition: PluginDefinition): Promise<Set<string>> {
  const read = new Set<string>()
  const values = definition.settings?.parse({}) ?? {}
  const settings = new Proxy(values, {
    get: (target, key) => {
      if (typeof key === 'string') read.add(key)
      return Reflect.get(target, key) as unknown
    },
    // A copy would hide which of them are read.
    ownKeys: () => {
      throw new Error('a plugin names the settings that it reads')
    },
  })
  const over = new AbortController()
  const nothing = async (): Promise<never[]> => []
  const ctx = {
    settings,
    signal: over.signal,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    state: { get: nothing, set: nothing, delete: nothing, keys: nothing },
    secret: () => null,
    forget: async () => {
      over.abort()
      return 0
    },
  }
  await definition.start?.(ctx as never)
  for (const hook of Object.values(definition.hooks ?? {})) await (hook as (...of: unknown[]) => unknown)(DATA, ctx)
  for (const command of Object.values(definition.commands ?? {})) await command.run(DATA as never, ctx as never)
  return read
}

test('each setting of each built-in plugin is read', async () => {
  await using home = await createTemporaryHome()
  const part = { on: () => {}, off: () => {} }
  const all = builtIns(home.path, { delegation: part, mcp: part }, systemClock)
  expect(all.size).toBeGreaterThan(1)
  for (const { name, definition } of all.values()) {
    const plugin = definition as PluginDefinition
    const declared = Object.keys(plugin.settings?.shape ?? {})
    expect({ name, read: [...(await settingsRead(plugin))].toSorted() }).toEqual({ name, read: declared.toSorted() })
  }
})

test('each setting of config.toml is read somewhere', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src'], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const isReader = (path: string): boolean =>
    path.endsWith('.ts') && !/\.test\.ts$|^src\/(config\/schema|generated)\/|^src\/config\/config\.ts$/.test(path)
  const words = new Set(
    files.filter(isReader).flatMap((path) => readFileSync(path, 'utf8').match(/[A-Za-z]\w*/g) ?? []),
  )
  const keys = Object.keys(toSettings(settingsSchema(false).parse({})))
  expect(keys.filter((key) => !words.has(key))).toEqual([])
})
