/**
 * Two projects: pure tests, and those that need PostgreSQL (`*.pg.test.ts`), for which one embedded server is started.
 * No module mocks, no retries: a test that fails sometimes is a bug.
 */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { CODE_CACHE } from './src/platform/code-cache.ts'

// Every test file is a process of its own, which would compile the whole product anew.
process.env['NODE_COMPILE_CACHE'] ??= CODE_CACHE

export default defineConfig({
  test: {
    // Tests run as the server does: Node itself strips the types, and there is one copy of every module.
    experimental: { viteModuleRunner: false },
    pool: 'forks',
    // A test's process lives for seconds: what V8 compiles for a long life (a third of a second for Prisma's WebAssembly) is lost.
    execArgv: ['--wasm-tiering-budget=100000000', '--max-semi-space-size=64'],
    maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{src,test}/**/*.test.ts'],
          exclude: ['**/*.pg.test.ts', 'test/generated/**'],
          globalSetup: ['test/sandbox/ensure-bubblewrap.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'pg',
          include: ['{src,test}/**/*.pg.test.ts'],
          exclude: ['test/generated/**'],
          globalSetup: ['test/harness/start-test-postgres.ts'],
        },
      },
    ],
  },
})
