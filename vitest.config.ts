/**
 * What `npm test` runs: rules and parts that need no database (`unit`), and what needs PostgreSQL (`pg`), for which one
 * embedded server is started. What takes long has projects and npm scripts of its own,
 * all of which CI runs: `processes` (servers that are started, killed and cut off,
 * the terminal's commands, proxies and packages), `sandbox` (what commands, models,
 * plugins and tool servers of others may do), `clients` (libraries and protocols of others), `console` (a browser),
 * `bulk` (a corpus, stores of thousands of rows, the schema of every release, backups of whole databases, random
 * documents and conversations). No module mocks, no retries: a test that fails sometimes is a bug.
 *
 * Where files share their workers' processes (`isolate: false`), a test must leave nothing behind in its process:
 * loading the product anew for each file took half of the suite's CPU.
 */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { CODE_CACHE } from './src/platform/code-cache.ts'
import { PATIENCE_MS } from './test/harness/patience.ts'

// Workers, and the servers that tests start, would compile the whole product anew.
process.env['NODE_COMPILE_CACHE'] ??= CODE_CACHE

const POSTGRES = 'test/harness/start-test-postgres.ts'
const BUBBLEWRAP = 'test/sandbox/ensure-bubblewrap.ts'
const NO_TESTS = 'test/generated/**'

const OF_PROCESSES = ['test/{processes,remote,deploy}/**/*.test.ts']
const OF_SANDBOX = ['test/{sandbox,plugins,mcp,skills}/**/*.test.ts']
const OF_CLIENTS = ['test/{clients,protocols}/**/*.test.ts']
const OF_CONSOLE = ['test/console/**/*.test.ts']
const OF_BULK = [
  'test/knowledge/{curators,recall,flat-cost,nearest-sketches}.pg.test.ts',
  'test/store/{released-schemas,whole-tables}.pg.test.ts',
  'test/transfer/**/*.test.ts',
  'test/door/{document-cache,fuzz.pg}.test.ts',
  'test/stories/{held-conversations,texts-for-users}.pg.test.ts',
]
const TAKE_LONG = [...OF_PROCESSES, ...OF_SANDBOX, ...OF_CLIENTS, ...OF_CONSOLE, ...OF_BULK]

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
    testTimeout: 2 * PATIENCE_MS,
    hookTimeout: 2 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          isolate: false,
          include: ['{src,console/src,test}/**/*.test.ts'],
          exclude: ['**/*.pg.test.ts', NO_TESTS, ...TAKE_LONG],
        },
      },
      {
        extends: true,
        test: {
          name: 'pg',
          isolate: false,
          include: ['{src,test}/**/*.pg.test.ts'],
          exclude: [NO_TESTS, ...TAKE_LONG],
          globalSetup: [POSTGRES, BUBBLEWRAP],
        },
      },
      {
        extends: true,
        test: { name: 'processes', isolate: false, include: OF_PROCESSES, globalSetup: [POSTGRES, BUBBLEWRAP] },
      },
      {
        extends: true,
        test: { name: 'sandbox', isolate: false, include: OF_SANDBOX, globalSetup: [POSTGRES, BUBBLEWRAP] },
      },
      { extends: true, test: { name: 'clients', isolate: false, include: OF_CLIENTS, globalSetup: [POSTGRES] } },
      { extends: true, test: { name: 'console', isolate: false, include: OF_CONSOLE, globalSetup: [POSTGRES] } },
      { extends: true, test: { name: 'bulk', isolate: false, include: OF_BULK, globalSetup: [POSTGRES, BUBBLEWRAP] } },
    ],
  },
})
