/** What plugins keep, by plugin and key. The last write counts. */
import type { Database, Statement } from '../database.ts'

/** Of one plugin. */
export const MAX_STATE_KEYS = 1000

const GET: Statement = {
  name: 'plugins.state-get',
  text: 'SELECT value FROM plugin_state WHERE plugin_name = $1 AND key = $2',
}
const KEYS: Statement = {
  name: 'plugins.state-keys',
  text: 'SELECT key FROM plugin_state WHERE plugin_name = $1 AND starts_with(key, $2) ORDER BY key COLLATE "C"',
}
const REMOVE: Statement = {
  name: 'plugins.state-remove',
  text: 'DELETE FROM plugin_state WHERE plugin_name = $1 AND key = $2',
}
const SET: Statement = {
  name: 'plugins.state-set',
  text: `INSERT INTO plugin_state (plugin_name, key, value, updated_at)
    SELECT $1, $2, $3::jsonb, now()
    WHERE EXISTS (SELECT 1 FROM plugin_state WHERE plugin_name = $1 AND key = $2)
      OR (SELECT count(*) FROM plugin_state WHERE plugin_name = $1) < ${MAX_STATE_KEYS}
    ON CONFLICT (plugin_name, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
    RETURNING key`,
}

/** Null: there is none. */
export async function getState(database: Database, plugin: string, key: string): Promise<unknown> {
  const [row] = await database.query<{ value: unknown }>(GET, [plugin, key])
  return row?.value ?? null
}

/** `json`: a JSON text. False: the plugin has as many keys as it may. */
export async function setState(
  database: Database,
  plugin: string,
  { key, json }: { readonly key: string; readonly json: string },
): Promise<boolean> {
  const rows = await database.query<{ key: string }>(SET, [plugin, key, json])
  return rows.length > 0
}

/** No failure when there is none. */
export async function removeState(database: Database, plugin: string, key: string): Promise<void> {
  await database.query(REMOVE, [plugin, key])
}

/** In order. */
export async function stateKeys(database: Database, plugin: string, prefix: string): Promise<string[]> {
  const rows = await database.query<{ key: string }>(KEYS, [plugin, prefix])
  return rows.map(({ key }) => key)
}
