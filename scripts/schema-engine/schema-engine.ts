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
import { paramsWithoutKeys, withoutKeys } from './without-keys.ts'

export interface SchemaEngineOptions {
  readonly server: DatabaseServer
  readonly adapters: SqlMigrationAwareDriverAdapterFactory
  /** Paths of the schema files. */
  readonly datamodels: readonly string[]
  /** Shows text to the user of the CLI. */
  readonly print: (content: string) => void
}

type WasmMethod = Exclude<keyof bindings.SchemaEngine, 'free' | typeof Symbol.dispose>

/**
 * What the CLI calls by the same name. `getDatabaseDescription`, which the WebAssembly build lacks, no command of it
 * uses.
 */
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

/** These compare with the live database or with the migrations: see `#takePreviewFeatures`. */
const COMPARING: ReadonlySet<WasmMethod> = new Set<WasmMethod>([
  'createMigration',
  'devDiagnostic',
  'diagnoseMigrationHistory',
  'evaluateDataLoss',
  'schemaPush',
])

export class SchemaEngine {
  readonly #options: SchemaEngineOptions
  #started: Promise<bindings.SchemaEngine> | null = null
  #hasPreviewFeatures = false

  constructor(options: SchemaEngineOptions) {
    this.#options = options
  }

  /**
   * Runs one method and returns its result. Throws what the engine fails with: an error with Prisma's `code` and
   * `meta`.
   */
  async call(method: string, sent: unknown): Promise<unknown> {
    const params = paramsWithoutKeys(sent)
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
    const known = METHODS.find((name) => name === method)
    if (known === undefined) throw new Error(`the schema engine has no method ${method}`)
    if (COMPARING.has(known)) await this.#takePreviewFeatures(engine)
    if (known === 'evaluateDataLoss' || known === 'createMigration') {
      // Here the WebAssembly build cannot replay the migrations itself, but uses what this has found out.
      await engine.devDiagnostic(params as bindings.DevDiagnosticInput)
    }
    const run = engine[known] as (params: unknown) => unknown
    return await run.call(engine, params)
  }

  /** The CLI expects the text apart from the result, as a message of its own. */
  async #diff(engine: bindings.SchemaEngine, params: bindings.DiffParams): Promise<{ exitCode: number }> {
    const { stdout, exitCode } = await engine.diff(params)
    if (stdout !== null) this.#options.print(stdout.replace(/\n$/, ''))
    return { exitCode }
  }

  /**
   * The WebAssembly build forgets which preview features the schema switches on, and is then blind for partial indexes:
   * every new migration would create them again. Only a comparison of a datasource, whatever its outcome, makes it
   * remember.
   */
  async #takePreviewFeatures(engine: bindings.SchemaEngine): Promise<void> {
    if (this.#hasPreviewFeatures) return
    this.#hasPreviewFeatures = true
    const files = (await this.#readDatamodels()).map(([path, content]) => ({ path, content }))
    if (files.length === 0) return
    await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'empty' },
      script: false,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    })
  }

  async #start(adapters: SqlMigrationAwareDriverAdapterFactory): Promise<bindings.SchemaEngine> {
    const { SchemaEngine: WasmEngine } = await loadWasm()
    const datamodels = await this.#readDatamodels()
    return await WasmEngine.new(
      { datamodels: datamodels.length === 0 ? undefined : datamodels },
      () => {}, // its log: queries and timings
      bindMigrationAwareSqlAdapterFactory(adapters),
    )
  }

  async #readDatamodels(): Promise<[path: string, content: string][]> {
    return await Promise.all(
      this.#options.datamodels.map(async (path): Promise<[string, string]> => [
        path,
        withoutKeys(await readFile(path, 'utf8')),
      ]),
    )
  }
}

function needsNoDatabase({ from, to }: bindings.DiffParams): boolean {
  return [from, to].every(({ tag }) => tag === 'empty' || tag === 'schemaDatamodel')
}
