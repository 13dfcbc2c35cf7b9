/**
 * Three projects: rules beside the code (`src`), programs and sandboxes (`test`), and what needs PostgreSQL
 * (`*.pg.test.ts`), for which one embedded server is started. No module mocks, no retries: a test that fails sometimes
 * is a bug.
 *
 * Files of the first and the last share their workers' processes (`isolate: false`): loading the product anew for each
 * file took half of the suite's CPU. A test must therefore leave nothing behind in its process.
 */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { CODE_CACHE } from './src/platform/code-cache.ts'

// Workers, and the servers that tests start, would compile the whole product anew.
process.env['NODE_COMPILE_CACHE'] ??= CODE_CACHE

export default defineConfig({
  test: {
    // Tests run as the server does: Node itself strips the types, and there is one copy of every module.
    experimental: { viteModuleRunner: false },
    pool: 'forks',
    // A test's process lives for seconds: what V8 compiles for a long life (a third of a second for Prisma's
    // WebAssembly) is lost.
    execArgv: ['--wasm-tiering-budget=100000000', '--max-semi-space-size=64'],
    // Most files wait for other processes about as long as they compute.
    maxWorkers: Math.max(4, availableParallelism()),
    reporters: ['./test/harness/slowest-files.ts', './test/harness/stalled-run.ts', 'default'],
    // Ends what hangs; never what is slow because the machine is busy.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          isolate: false,
          include: ['{src,console/src}/**/*.test.ts'],
          exclude: ['**/*.pg.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'programs',
          include: ['test/**/*.test.ts'],
          exclude: ['**/*.pg.test.ts', 'test/generated/**'],
          globalSetup: ['test/sandbox/ensure-bubblewrap.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'pg',
          isolate: false,
          include: ['{src,test}/**/*.pg.test.ts'],
          exclude: ['test/generated/**'],
          globalSetup: ['test/harness/start-test-postgres.ts'],
        },
      },
    ],
  },
})
