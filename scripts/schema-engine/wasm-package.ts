/**
 * Prisma's schema engine as the npm registry carries it: WebAssembly, and the JavaScript that translates its values.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg'

/** A bug in the engine. It cannot be used afterwards. */
export class EnginePanic extends Error {
  override readonly name = 'EnginePanic'
}

/** As much of the global of this name as is needed here: TypeScript knows it only in browsers. */
interface WebAssemblyApi {
  instantiate(code: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>
}

const directory = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'))

/** The package's version ends in the commit: "7.10.0-4.0edf…". */
export function engineCommit(): string {
  const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: string }
  return version.split('.').at(-1) ?? version
}

/** Does what the package's own entry does, which only bundlers can load: it imports the .wasm file as a module. */
export async function loadWasm(): Promise<typeof bindings> {
  const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyApi }
  const glue = bindings as typeof bindings & { __wbg_set_wasm(exports: object): void }
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message(message: string) {
        throw new EnginePanic(message) // otherwise the engine runs into a trap that tells nothing
      },
    },
  })
  const code = readFileSync(join(directory, 'schema_engine_bg.wasm'))
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': glue })
  glue.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
  return bindings
}
