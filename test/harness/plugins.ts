/** Plugins for tests, put where an admin would put them: as folders below FACTOTUM_HOME. */
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, vi } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { PluginDocument, UpdatePluginDocument, type PluginQuery, type UpdatePluginInput } from '../generated/graphql.ts'
import type { Story } from './story.ts'
import { PATIENCE } from './patience.ts'

/** Copies a module, by its path from test/plugins, as the plugin of this name; returns its folder. */
export function addPlugin(home: string, name: string, module: string): string {
  const folder = join(home, 'plugins', name)
  mkdirSync(folder, { recursive: true })
  cpSync(fileURLToPath(new URL(`../plugins/${module}`, import.meta.url)), join(folder, 'plugin.ts'))
  return folder
}

/** Copies a plugin of `examples/plugins`. */
export function addExamplePlugin(home: string, name: string): void {
  const example = fileURLToPath(new URL(`../../examples/plugins/${name}`, import.meta.url))
  cpSync(example, join(home, 'plugins', name), { recursive: true })
}

/** As an admin sees it. */
export async function read(story: Pick<Story, 'as'>, name: string): Promise<NonNullable<PluginQuery['plugin']>> {
  const { plugin } = await story.as('ada').run(PluginDocument, { name })
  return must(plugin, `the plugin ${name}`)
}

/** Waits for a status. */
export async function until(story: Pick<Story, 'as'>, name: string, status: string): Promise<void> {
  await vi.waitFor(async () => expect(await read(story, name)).toMatchObject({ status }), PATIENCE)
}

/** Changes it as it is now, once it is there: each is loaded by itself, so another one says nothing of it. */
export async function update(story: Pick<Story, 'as'>, input: Omit<UpdatePluginInput, 'version'>): Promise<object> {
  const { version } = await vi.waitFor(() => read(story, input.name), PATIENCE)
  const { updatePlugin } = await story.as('ada').run(UpdatePluginDocument, { input: { ...input, version } })
  return updatePlugin
}

/** Of a story's database, or of another one. */
export async function select(
  { databaseUrl }: Pick<Story, 'databaseUrl'>,
  sql: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
