#!/usr/bin/env node
/**
 * Prisma's schema engine, for the Prisma CLI (`generate`, `migrate`, `db`), which starts it by
 * PRISMA_SCHEMA_ENGINE_BINARY (see prisma.config.ts). The CLI would download a native program from a host that many
 * networks block; the npm registry carries the same engine as WebAssembly. This puts the two together: the CLI's
 * protocol outside, the WebAssembly inside.
 *
 * The protocol: `--version`; `cli <command>` for a few one-off commands; otherwise JSON-RPC, a line each way per
 * message, on stdin and stdout, and log lines as JSON on stderr. The process ends when stdin does, or with code 101
 * after a panic.
 */
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { DatabaseServer } from './schema-engine/database-server.ts'
import { PostgresAdapterFactory } from './schema-engine/postgres-adapter.ts'
import { runCliCommand } from './schema-engine/cli-command.ts'
import { SchemaEngine } from './schema-engine/schema-engine.ts'
import { engineCommit, EnginePanic } from './schema-engine/wasm-package.ts'

interface Request {
  readonly id: number
  readonly method?: string
  readonly params?: unknown
}

/** The exit code by which the CLI knows that the engine panicked. */
const PANICKED = 101
const METHOD_FAILED = 4466

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  strict: false, // the CLI passes more than is of use here
  options: {
    datamodels: { type: 'string', multiple: true },
    datasource: { type: 'string' },
    version: { type: 'boolean' },
  },
})

const datasource = JSON.parse(String(options.datasource ?? '{}')) as { readonly url?: string }
const server = new DatabaseServer(datasource.url)

if (options.version === true) process.stdout.write(`schema-engine-cli ${engineCommit()}\n`)
else if (positionals[0] === 'cli') process.exitCode = await runCliCommand(positionals[1], server)
else serve()

function serve(): void {
  const adapters = new PostgresAdapterFactory(server)
  const datamodels = (options.datamodels ?? []).map(String)
  const engine = new SchemaEngine({ server, adapters, datamodels, print })
  let current: Request | null = null
  let leaving: Promise<void> | null = null

  /** The CLI kills the engine as soon as it has its answer: shadow databases that are left go first. */
  function leave(code: number): Promise<void> {
    leaving ??= adapters.dropShadows().then(
      () => process.exit(code),
      () => process.exit(code),
    )
    return leaving
  }

  async function answer(request: Request, method: string): Promise<void> {
    current = request
    try {
      send({ id: request.id, result: (await engine.call(method, request.params)) ?? {} })
    } catch (error) {
      sendFailure(request, error, error instanceof EnginePanic)
    }
  }

  /** A panic surfaces outside the call that caused it: answers that call, then goes down as the native engine does. */
  function panic(error: unknown): void {
    if (current !== null) sendFailure(current, error, true)
    void leave(PANICKED)
  }

  process.on('uncaughtException', panic)
  process.on('unhandledRejection', panic)
  process.on('SIGTERM', () => void leave(0))
  process.on('SIGINT', () => void leave(130))

  let queue = Promise.resolve()
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    const request = JSON.parse(line) as Request
    const { method } = request
    if (method !== undefined) queue = queue.then(() => answer(request, method)) // else it acknowledges a `print`
  })
  lines.on('close', () => void queue.then(() => leave(0)))
}

/** Text for the CLI's own stdout. */
function print(content: string): void {
  send({ id: process.hrtime.bigint(), method: 'print', params: { content } })
}

function sendFailure({ id }: Request, error: unknown, isPanic: boolean): void {
  const { message, code, meta } = error as { message?: string; code?: unknown; meta?: unknown }
  const data = { is_panic: isPanic, message: message ?? String(error), error_code: code, meta }
  send({ id, error: { code: METHOD_FAILED, message: data.message, data } })
}

function send(message: Readonly<Record<string, unknown>>): void {
  const plain = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? Number(value) : value instanceof Map ? Object.fromEntries(value) : value
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message }, plain)}\n`)
}
