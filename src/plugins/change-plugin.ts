/** `updatePlugin` and `restartPlugin`: by admins. Called by the GraphQL door. */
import type { Viewer } from '../core/identity.ts'
import type { ConfigChange } from '../core/audit-entry.ts'
import { conflict, invalidInput, notFound, type Refusal } from '../core/refusal.ts'
import type { Clock } from '../platform/clock.ts'
import { isStorable } from '../platform/well-formed.ts'
import type { Json } from '../plugin-api/hook-inputs.ts'
import { appendAudit } from '../store/audit-entries.ts'
import type { Database, Queryable } from '../store/database.ts'
import { changePlugin, lockPlugin, requestRestart, type PluginRow } from '../store/plugins/plugin-rows.ts'
import type { LivePlugins } from './live-plugins.ts'
import type { PluginRuntimes } from './runtimes/plugin-runtimes.ts'

/** What the use cases of plugins need. */
export interface PluginsContext {
  readonly database: Database
  readonly clock: Clock
  readonly live: Pick<LivePlugins, 'checkSettings' | 'changed' | 'missingRuntimes' | 'secretsNamed'>
  readonly runtimes: Pick<PluginRuntimes, 'stateOf'>
}

/** What was done; the payload shows the row. */
export interface PluginChanged {
  readonly kind: 'PluginChanged'
  readonly pluginId: string
}

/** A field that is null or left out stays. `version`: the row's that the admin has seen. */
export interface UpdatePluginInput {
  readonly name: string
  readonly enabled?: boolean | null | undefined
  readonly position?: number | null | undefined
  readonly settings?: unknown
  readonly version: number
}

const MAX_POSITION = 10_000
const MAX_SETTINGS_CHARS = 64 * 1024

/** Of two admins who have seen the same version one is refused. Rejects with DATABASE_UNAVAILABLE. */
export async function updatePlugin(
  context: PluginsContext,
  viewer: Viewer,
  input: UpdatePluginInput,
): Promise<PluginChanged | Refusal> {
  const { name, settings, position } = input
  if (position != null && (position < 0 || position > MAX_POSITION)) {
    return invalidInput(['position'], `must be from 0 to ${MAX_POSITION}`)
  }
  const problem = settings == null || !isStorable(name) ? null : await settingsProblem(context, name, settings)
  return edit(context, { viewer, name }, async ({ transaction, row, at, audit }) => {
    if (problem !== null) return invalidInput(['settings'], problem)
    if (row.revision !== input.version) {
      const message = `The plugin "${name}" was changed meanwhile; it has version ${row.revision} now.`
      return conflict('STALE_VERSION', message, row.id)
    }
    const enabled = input.enabled ?? row.enabled
    const changed = { name, enabled, position: position ?? row.position, settings: settings ?? row.settings, at }
    await changePlugin(transaction, changed)
    await audit('PLUGIN_UPDATED', describeChange(row, changed))
    return null
  })
}

/** It is started anew in every process, also one that had FAILED. */
export function restartPlugin(
  context: PluginsContext,
  viewer: Viewer,
  { name }: { readonly name: string },
): Promise<PluginChanged | Refusal> {
  return edit(context, { viewer, name }, async ({ transaction, at, audit }) => {
    await requestRestart(transaction, name, at)
    await audit('PLUGIN_RESTARTED', name)
    return null
  })
}

interface Edit {
  readonly transaction: Queryable
  readonly row: PluginRow
  readonly at: Date
  readonly audit: (change: ConfigChange, detail: string) => Promise<void>
}

async function edit(
  { database, clock, live }: PluginsContext,
  { viewer, name }: { readonly viewer: Viewer; readonly name: string },
  work: (edit: Edit) => Promise<Refusal | null>,
): Promise<PluginChanged | Refusal> {
  if (!isStorable(name)) return notFound('plugin', name)
  const at = clock.now()
  const done = await database.transaction(async (transaction): Promise<PluginChanged | Refusal> => {
    const row = await lockPlugin(transaction, name)
    if (row === null) return notFound('plugin', name)
    const { tokenName, user } = viewer
    const audit: Edit['audit'] = (change, detail) => {
      const body = { kind: 'CONFIG', change, detail } as const
      return appendAudit(transaction, [
        { at, sessionId: null, turnId: null, actor: user?.name ?? null, tokenName, body },
      ])
    }
    return (await work({ transaction, row, at, audit })) ?? { kind: 'PluginChanged', pluginId: row.id }
  })
  if (done.kind === 'PluginChanged') await live.changed(done.pluginId)
  return done
}

async function settingsProblem({ live }: PluginsContext, name: string, settings: unknown): Promise<string | null> {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) return 'must be an object'
  const json = JSON.stringify(settings)
  if (json.length > MAX_SETTINGS_CHARS) return `must have at most ${MAX_SETTINGS_CHARS} characters`
  if (json.includes('\\u0000') || !json.isWellFormed()) return 'must not contain NUL or lone surrogates'
  return live.checkSettings(name, settings as Json)
}

/** Names what changed; no values, as an admin may have put a secret there in error. */
function describeChange(
  before: PluginRow,
  after: Pick<PluginRow, 'name' | 'enabled' | 'position' | 'settings'>,
): string {
  const was = Object(before.settings) as Record<string, unknown>
  const is = Object(after.settings) as Record<string, unknown>
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  const differing = keys.filter((key) => JSON.stringify(was[key]) !== JSON.stringify(is[key])).slice(0, 20)
  const parts = [
    after.name,
    ...(before.enabled === after.enabled ? [] : [after.enabled ? 'enabled' : 'disabled']),
    ...(before.position === after.position ? [] : [`position ${after.position}`]),
    ...(differing.length === 0 ? [] : [`settings ${differing.join(' ')}`]),
  ]
  return parts.join(', ').slice(0, 1000)
}
