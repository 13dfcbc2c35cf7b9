/** Whether the runtimes of plugins that config.toml names are there, as the rows of a server that has run say. */
import * as z from 'zod'
import type { Config } from '../../config/config.ts'
import { missingRuntimes, type RuntimesOfPlugin } from '../../config/models/missing-runtimes.ts'
import { messageOf } from '../../core/errors.ts'
import { connectClient } from '../../store/connection/connect-client.ts'
import { warn, type Finding } from './finding.ts'

const shownManifest = z.object({ runtimes: z.array(z.object({ name: z.string() })) })

/** Nothing where no server has run yet. Never rejects. */
export async function checkRuntimes(url: string, config: Config): Promise<readonly Finding[]> {
  try {
    const known = await readRuntimes(url)
    if (known === null) return []
    return missingRuntimes(config, known).map(({ model, roles, says, fix }) =>
      warn('models', `${model} (${roles.join(', ')}) cannot answer. ${says}`, fix),
    )
  } catch (error) {
    return [warn('models', `The rows of plugins cannot be read: ${messageOf(error)}`, 'See the check of the database.')]
  }
}

/** Of the plugins that are there; null: there is no table of them. */
async function readRuntimes(url: string): Promise<RuntimesOfPlugin[] | null> {
  const client = await connectClient(url, 'factotum doctor')
  try {
    const there = await client.query<{ table: string | null }>(`SELECT to_regclass('plugins') AS table`)
    if (there.rows[0]?.table == null) return null
    const { rows } = await client.query<{ plugin: string; enabled: boolean; manifest: unknown }>(
      `SELECT name AS plugin, enabled, manifest FROM plugins WHERE status <> 'MISSING'`,
    )
    return rows.map(({ plugin, enabled, manifest }) => {
      const runtimes = shownManifest.safeParse(manifest).data?.runtimes.map(({ name }) => name) ?? null
      return { plugin, enabled, runtimes }
    })
  } finally {
    await client.end()
  }
}
