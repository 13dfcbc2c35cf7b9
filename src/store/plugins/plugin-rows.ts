/** The rows of plugins. What every process reads each second is one small statement. */
import { namedId } from '../../platform/id.ts'
import type { PluginOrigin, PluginStatus } from '../../core/status.ts'
import type { Queryable, Statement } from '../database.ts'

/** A row as a process follows it. */
export interface PluginRow {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly enabled: boolean
  readonly position: number
  /** JSON, as it was set. */
  readonly settings: unknown
  readonly status: PluginStatus
  readonly lastError: string | null
  readonly revision: number
  readonly restarts: number
}

const COLUMNS = `id, name, version, enabled, position, settings, status, last_error AS "lastError", revision, restarts`
const READ: Statement = {
  name: 'plugins.read',
  plansOnce: true,
  text: `SELECT ${COLUMNS} FROM plugins ORDER BY position, name`,
}

/** All of them, in the order in which their hooks run. */
export function readPlugins(database: Queryable): Promise<PluginRow[]> {
  return database.query<PluginRow>(READ, [])
}

const READ_CALLED: Statement = {
  name: 'plugins.read-called',
  text: `SELECT name, coalesce(manifest->'hooks', '[]') AS hooks, coalesce(manifest->'commands', '[]') AS commands
    FROM plugins WHERE enabled AND manifest IS NOT NULL ORDER BY position, name`,
}

/** What the enabled ones said of themselves when they were last loaded, in the order in which their hooks run. */
export function readCalledPlugins(database: Queryable): Promise<(CalledPlugin & { readonly name: string })[]> {
  return database.query(READ_CALLED, [])
}

/** Why turns would call a plugin, as its manifest has it. */
export interface CalledPlugin {
  readonly hooks: readonly string[]
  readonly commands: readonly unknown[]
}

const LOCK: Statement = { name: 'plugins.lock', text: `SELECT ${COLUMNS} FROM plugins WHERE name = $1 FOR UPDATE` }

/** Held until the transaction ends; null: there is none. */
export async function lockPlugin(transaction: Queryable, name: string): Promise<PluginRow | null> {
  const [row] = await transaction.query<PluginRow>(LOCK, [name])
  return row ?? null
}

/** A plugin that lies in the home. */
export interface FoundPlugin {
  readonly name: string
  readonly version: string
  readonly title: string
  readonly description: string
  readonly origin: PluginOrigin
  /** As long as no admin has said otherwise. */
  readonly enabled: boolean
  /** JSON; null: it could not be read. */
  readonly manifest: object | null
}

const DECLARE: Statement = {
  name: 'plugins.declare',
  text: `INSERT INTO plugins AS p (id, name, version, title, description, manifest, enabled, position, settings, status,
      created_at, updated_at, origin)
    SELECT $1, $2, $3, $4, $5, $6::jsonb, $9::boolean, coalesce((SELECT max(position) FROM plugins), 0) + 1, '{}', 'DISABLED', $7, $7,
      $8::plugin_origin
    ON CONFLICT (name) DO UPDATE SET version = excluded.version, title = excluded.title,
      description = excluded.description, manifest = excluded.manifest, origin = excluded.origin
    WHERE excluded.manifest IS NOT NULL AND (p.version, p.title, p.description, p.manifest, p.origin)
      IS DISTINCT FROM (excluded.version, excluded.title, excluded.description, excluded.manifest, excluded.origin)
    RETURNING xmax = 0 AS "isNew"`,
}

/** Repeatable. NEW: no process has seen it before; SAME: nothing was written. */
export async function declarePluginRow(
  transaction: Queryable,
  { name, version, title, description, origin, enabled, manifest }: FoundPlugin,
  at: Date,
): Promise<{ readonly id: string; readonly change: 'NEW' | 'CHANGED' | 'SAME' }> {
  const json = manifest === null ? null : JSON.stringify(manifest)
  const id = namedId('plugin', name)
  const values = [id, name, version, title, description, json, at, origin, enabled]
  const [row] = await transaction.query<{ isNew: boolean }>(DECLARE, values)
  return { id, change: row === undefined ? 'SAME' : row.isNew ? 'NEW' : 'CHANGED' }
}

const IS_OFF: Statement = {
  name: 'plugins.is-off',
  text: 'SELECT 1 FROM plugins WHERE name = $1 AND NOT enabled',
}

/** An admin has disabled it; false where it is not known yet. */
export async function isSwitchedOff(database: Queryable, name: string): Promise<boolean> {
  return (await database.query(IS_OFF, [name])).length > 0
}

const REPORT: Statement = {
  name: 'plugins.report',
  text: `UPDATE plugins SET status = $2::plugin_status, last_error = $3::text,
      last_error_at = CASE WHEN $3::text IS NULL THEN NULL WHEN last_error IS DISTINCT FROM $3::text THEN $4 ELSE last_error_at END
    WHERE name = $1 AND (status, last_error) IS DISTINCT FROM ($2::plugin_status, $3::text) RETURNING id`,
}

/** How a plugin is. True: that is new. */
export async function reportPlugin(
  database: Queryable,
  { name, status, lastError, at }: Pick<PluginRow, 'name' | 'status' | 'lastError'> & { readonly at: Date },
): Promise<boolean> {
  const rows = await database.query<{ id: string }>(REPORT, [name, status, lastError, at])
  return rows.length > 0
}

/** How many since they were last added. */
interface PluginCounted {
  readonly calls: number
  readonly failures: number
  readonly crashes: number
  readonly eventsLeftOut: number
}

const COUNT: Statement = {
  name: 'plugins.count',
  text: 'UPDATE plugins SET calls = calls + $2, failures = failures + $3, crashes = crashes + $4, events_left_out = events_left_out + $5 WHERE name = $1',
}

/** Adds what this process has counted since it last did. */
export async function countPlugin(
  database: Queryable,
  { name, calls, failures, crashes, eventsLeftOut }: { readonly name: string } & PluginCounted,
): Promise<void> {
  await database.query(COUNT, [name, calls, failures, crashes, eventsLeftOut])
}

const CHANGE: Statement = {
  name: 'plugins.change',
  text: `UPDATE plugins SET enabled = $2, position = $3, settings = $4::jsonb, revision = revision + 1, updated_at = $5
    WHERE name = $1`,
}

/** By an admin, in a transaction that holds the row. */
export async function changePlugin(
  transaction: Queryable,
  {
    name,
    enabled,
    position,
    settings,
    at,
  }: Pick<PluginRow, 'name' | 'enabled' | 'position' | 'settings'> & { readonly at: Date },
): Promise<void> {
  await transaction.query(CHANGE, [name, enabled, position, JSON.stringify(settings), at])
}

const RESTART: Statement = {
  name: 'plugins.restart',
  text: 'UPDATE plugins SET restarts = restarts + 1, updated_at = $2 WHERE name = $1',
}

/** Every process starts it anew. */
export async function requestRestart(transaction: Queryable, name: string, at: Date): Promise<void> {
  await transaction.query(RESTART, [name, at])
}
