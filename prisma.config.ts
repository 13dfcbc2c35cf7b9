/**
 * The Prisma CLI wants a native schema engine that many networks cannot download; `scripts/schema-engine.ts` answers
 * in its place, so `generate` and `migrate` work wherever `npm ci` works.
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'prisma/config'

process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= fileURLToPath(new URL('./scripts/schema-engine.ts', import.meta.url))

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // Not env(): that throws in `generate`, which needs no database.
  datasource: { url: process.env['DATABASE_URL'] ?? 'postgresql://factotum@127.0.0.1:5432/factotum' },
})
