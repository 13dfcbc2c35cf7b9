/**
 * Builds the console into a folder: index.html, and in assets/ scripts, style sheets and pictures that are named by
 * their content, so that browsers keep them for good. Beside each of these lie its compressed forms (.br, .gz), made
 * once, as small as can be. As a program it writes to console/dist, which a checkout serves.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole(join(root, 'console/dist'))

/** Writes to `dir`, which is emptied before; the modules of which the scripts are made. */
export async function buildConsole(dir: string): Promise<string[]> {
  const { build } = await import('vite')
  const made = await build({
    configFile: join(root, 'console/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: dir, emptyOutDir: true },
  })
  const assets = join(dir, 'assets')
  for (const name of readdirSync(assets)) {
    const bytes = readFileSync(join(assets, name))
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes, { params }))
    writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }))
  }
  const outputs = [made].flat().flatMap((result) => ('output' in result ? result.output : []))
  return outputs.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
}
