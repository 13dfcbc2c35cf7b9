/** The WebAssembly engine behind the methods that the CLI calls. */
import { readFile } from 'node:fs/promises'
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import type * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg'
import type { DatabaseServer } from './database-server.ts'
import { offlineAdapters } from './offline-adapter.ts'
import { loadWasm } from './wasm-package.ts'

export interface SchemaEngineOptions {
  readonly server: DatabaseServer
  readonly adapters: SqlMigrationAwareDriverAdapterFactory
  /** Paths of the schema files. */
  readonly datamodels: readonly string[]
  /** Shows text to the user of the CLI. */
  readonly print: (content: string) => void
}

type WasmMethod = Exclude<keyof bindings.SchemaEngine, 'free' | typeof Symbol.dispose>

/** What the CLI calls by the same name. `getDatabaseDescription`, which the WebAssembly build lacks, no command of it uses. */
const METHODS: readonly WasmMethod[] = [
  'applyMigrations',
  'createMigration',
  'dbExecute',
  'debugPanic',
  'devDiagnostic',
  'diagnoseMigrationHistory',
  'ensureConnectionValidity',
  'evaluateDataLoss',
  'introspect',
  'introspectSql',
  'markMigrationApplied',
  'markMigrationRolledBack',
  'reset',
  'schemaPush',
]

export class SchemaEngine {
  readonly #options: SchemaEngineOptions
  #started: Promise<bindings.SchemaEngine> | null = null

  constructor(options: SchemaEngineOptions) {
    this.#options = options
  }

  /** Runs one method and returns its result. Throws what the engine fails with: an error with Prisma's `code` and `meta`. */
  async call(method: string, params: unknown): Promise<unknown> {
    const { server, adapters } = this.#options
    if (method === 'createDatabase') {
      await server.create(server.database)
      return { databaseName: server.database }
    }
    const offline = method === 'diff' && needsNoDatabase(params as bindings.DiffParams)
    this.#started ??= this.#start(offline ? offlineAdapters : adapters)
    const engine = await this.#started
    if (method === 'getDatabaseVersion') return await engine.version()
    if (method === 'diff') return await this.#diff(engine, params as bindings.DiffParams)
    if (!METHODS.some((known) => known === method)) throw new Error(`the schema engine has no method ${method}`)
    const run = engine[method as WasmMethod] as (params: unknown) => unknown
    return await run.call(engine, params)
  }

  /** The CLI expects the text apart from the result, as a message of its own. */
  async #diff(engine: bindings.SchemaEngine, params: bindings.DiffParams): Promise<{ exitCode: number }> {
    const { stdout, exitCode } = await engine.diff(params)
    if (stdout !== null) this.#options.print(stdout.replace(/\n$/, ''))
    return { exitCode }
  }

  async #start(adapters: SqlMigrationAwareDriverAdapterFactory): Promise<bindings.SchemaEngine> {
    const { SchemaEngine: WasmEngine } = await loadWasm()
    const datamodels = await Promise.all(
      this.#options.datamodels.map(async (path): Promise<[string, string]> => [path, await readFile(path, 'utf8')]),
    )
    return await WasmEngine.new(
      { datamodels: datamodels.length === 0 ? undefined : datamodels },
      () => {}, // its log: queries and timings
      bindMigrationAwareSqlAdapterFactory(adapters),
    )
  }
}

function needsNoDatabase({ from, to }: bindings.DiffParams): boolean {
  return [from, to].every(({ tag }) => tag === 'empty' || tag === 'schemaDatamodel')
}
