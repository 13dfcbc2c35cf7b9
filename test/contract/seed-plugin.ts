/** A plugin that is gone, "tester", of which `text` is told. Only admins see it. */
import { namedId } from '../../src/platform/id.ts'
import type { Database } from '../../src/store/database.ts'

const AT = new Date('2026-11-21T15:30:00.000Z')

/** Repeatable; returns its id. */
export async function seedPlugin({ prisma }: Database, text: string): Promise<string> {
  const id = namedId('plugin', 'tester')
  const described = { version: text, title: text, description: text, lastError: text, lastErrorAt: AT }
  const manifest = {
    settingsSchema: { type: text },
    secretSettings: ['key'],
    hooks: ['onMessage'],
    tools: [{ name: 'tool' }],
    commands: [{ name: 'command' }],
    runtimes: [{ name: 'runtime', description: text }],
  }
  const set = { manifest, enabled: false, position: 1, settings: { key: text }, status: 'MISSING' } as const
  const data = { id, name: 'tester', ...described, ...set, createdAt: AT, updatedAt: AT }
  await prisma.plugin.upsert({ where: { id }, create: data, update: {} })
  return id
}
