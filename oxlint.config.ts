import { defineConfig, type OxlintConfig } from 'oxlint'

/**
 * The layer table: a folder of `src/` may import only what stands in its row (and itself).
 * ARCHITECTURE.md has the same table, and a test compares the two. When a row is in the way, change the design.
 */
const base = ['platform', 'core', 'config', 'store', 'events', 'telemetry']
const turnsNeed = ['approvals', 'model', 'execution', 'secrets', 'audit', 'delivery', 'agents', 'knowledge']
export const layers: Record<string, readonly string[]> = {
  graphiql: [],
  platform: [],
  core: ['platform'],
  telemetry: ['platform', 'core'],
  config: ['platform', 'core'],
  postgres: ['platform', 'core', 'config'],
  store: ['platform', 'core', 'config', 'postgres', 'generated'],
  events: ['platform', 'core', 'config', 'store'],
  model: base,
  execution: [...base, 'secrets'],
  tools: base,
  mcp: [...base, 'secrets', 'execution', 'audit', 'jobs', 'delivery', 'tools'],
  'plugin-api': ['platform'],
  secrets: base,
  jobs: base,
  audit: [...base, 'jobs'],
  delivery: [...base, 'secrets', 'audit', 'jobs'],
  retention: [...base, 'secrets', 'execution'],
  plugins: [...base, 'secrets', 'jobs', 'audit', 'delivery', 'execution', 'tools', 'plugin-api'],
  transfer: [...base, 'secrets', 'audit', 'delivery', 'intake', 'tools', 'generated'],
  agents: [...base, 'model', 'execution', 'secrets'],
  knowledge: [...base, 'model', 'execution', 'secrets', 'audit', 'agents'],
  people: [...base, 'secrets'],
  remote: ['platform', 'core', 'config', 'generated'],
  terminal: [...base, 'secrets', 'execution', 'model'],
  intake: [...base, 'secrets', 'audit', 'delivery', 'tools'],
  schedules: [...base, 'secrets', 'intake'],
  delegation: [...base, 'secrets', 'intake'],
  approvals: [...base, 'secrets', 'jobs', 'audit', 'delivery', 'execution', 'intake', 'tools'],
  turn: [...base, ...turnsNeed, 'tools', 'plugins', 'plugin-api'],
  worker: [...base, ...turnsNeed, 'tools', 'plugins', 'plugin-api', 'turn'],
  graphql: [
    ...base,
    ...turnsNeed,
    'tools',
    'plugins',
    'plugin-api',
    'jobs',
    'people',
    'intake',
    'schedules',
    'turn',
    'worker',
    'transfer',
    'generated',
  ],
}
const folders = [...Object.keys(layers), 'generated']

type Override = NonNullable<OxlintConfig['overrides']>[number]

/** How deep folders nest below `src/<folder>`; `test/repository` fails for deeper ones. */
const DEPTHS = [1, 2, 3]

/**
 * The names that a file of `depth` folders below `src/` may not import: other layers, and what stands above them all.
 */
function forbiddenImports(folder: string, allowed: readonly string[], depth: number): string {
  const above = folders.filter((other) => other !== folder && !allowed.includes(other)).map((other) => `${other}/`)
  return `^${'\\.\\./'.repeat(depth)}(${[...above, 'app\\.ts', 'cli\\.ts'].join('|')})`
}

const layerOverrides = Object.entries(layers).flatMap(([folder, allowed]): Override[] =>
  DEPTHS.flatMap((depth) => {
    const message = `src/${folder} may import only: ${[folder, ...allowed].join(', ')} (see the layer table).`
    const forbid = (patterns: object[]): NonNullable<Override['rules']> => ({
      'no-restricted-imports': ['error', { patterns }],
    })
    const layer = { regex: forbiddenImports(folder, allowed, depth), message }
    const place = `src/${folder}${'/*'.repeat(depth)}`
    return [
      { files: [`${place}.ts`], rules: forbid([layer, { regex: `^(\\.\\./)+test/`, message }]) },
      // Tests beside the code keep to its layer, but may use the harness.
      { files: [`${place}.test.ts`], rules: forbid([layer]) },
    ]
  }),
)

const timeMessage = 'Time, randomness and ids go through src/platform (clock.ts, id.ts), so that tests can hold them.'

const clientMessage =
  'packages/client may import only its own files and graphql-ws/client, and "react" and "ai" in the folders of these: it runs in browsers.'
/** What a folder of the client may import besides its own files. */
const clientPackages = { '*': [], '{store,lists}/*': [], 'react/*': ['react'], 'ai-sdk/*': ['ai'] }
const clientOverrides = Object.entries(clientPackages).map(([files, packages]): Override => {
  const group = ['**', '!./**', '!../**', '!graphql-ws/client', ...packages.map((name) => `!${name}`)]
  return {
    files: [`packages/client/src/${files}.ts`],
    rules: {
      // Runs in browsers: nothing of the server's, not even platform/, nothing of Node's.
      'no-restricted-globals': ['error', 'process', 'Buffer', 'global', 'setImmediate'],
      'no-restricted-properties': 'off',
      'no-restricted-imports': ['error', { patterns: [{ group, message: clientMessage }] }],
    },
  }
})

export default defineConfig({
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise', 'node', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  options: { typeAware: true, denyWarnings: true },
  ignorePatterns: [
    'node_modules/**',
    'src/generated/**',
    'packages/client/src/generated/**',
    'console/src/generated/**',
    'console/dist/**',
    'packages/client/dist/**',
    'test/generated/**',
    'src/main.ts', // a link to bin/factotum.js
    '.factotum/**',
    'coverage/**',
  ],
  rules: {
    'import/no-cycle': 'error',
    'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
    'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true, IIFEs: true }],
    'max-params': ['error', { max: 3 }],
    'no-var': 'error',
    'prefer-const': 'error',
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/consistent-type-imports': 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'node/no-process-env': 'error',
    'no-await-in-loop': 'off', // turns and queues are sequential on purpose
    'import/no-unassigned-import': 'off',
    'no-shadow': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'no-underscore-dangle': 'off',
    'oxc/no-map-spread': 'off', // copies on purpose: rows are built from immutable values
    'import/no-named-as-default-member': 'off',
    'promise/always-return': 'off',
    'unicorn/require-post-message-target-origin': 'off', // of windows; ours are ports between threads
    // the compiler knows exhaustive switches (noImplicitReturns), the rule does not
    'typescript/consistent-return': 'off',
    'vitest/no-disabled-tests': 'error',
    'vitest/no-focused-tests': 'error',
    'vitest/expect-expect': 'error',
    'vitest/require-mock-type-parameters': 'off',
  },
  overrides: [
    ...layerOverrides,
    {
      files: ['src/**/*.ts'],
      rules: {
        'no-restricted-globals': [
          'error',
          ...['setTimeout', 'setInterval', 'setImmediate'].map((name) => ({ name, message: timeMessage })),
        ],
        'no-restricted-properties': [
          'error',
          { object: 'Date', property: 'now', message: timeMessage },
          { object: 'Math', property: 'random', message: timeMessage },
        ],
      },
    },
    { files: ['src/platform/**/*.ts'], rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' } },
    ...clientOverrides,
    {
      files: ['src/{graphiql,plugin-api}/*.ts'],
      rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' },
    },
    {
      files: ['src/cli.ts', 'bin/*.js', 'test/**', 'bench/**', 'scripts/**', 'examples/**', '*.ts'],
      rules: { 'node/no-process-env': 'off' },
    },
    // A statement is one text, from top to bottom.
    { files: ['src/store/**/*.sql.ts'], rules: { 'max-lines-per-function': 'off' } },
    // Hooks of yoga are handed functions that are declared as methods.
    { files: ['src/graphql/plugins/**/*.ts', 'src/graphql/yoga.ts'], rules: { 'typescript/unbound-method': 'off' } },
    // Resolvers take (parent, args, context, info): four, and Pothos puts a query before them.
    { files: ['src/graphql/schema/**/*.ts'], rules: { 'max-params': ['error', { max: 5 }] } },
    {
      files: ['**/*.test.ts', 'test/**', 'bench/**'],
      rules: { 'max-lines': ['error', { max: 600 }], 'max-lines-per-function': 'off' },
    },
  ],
})
