/**
 * Makes the GraphiQL page: a script and a style sheet, named by their content so that browsers keep them for good, and
 * compressed as far as can be, once. It loads nothing from other hosts: the fonts of the style sheet are left out.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))
const FONT = /@font-face\s*\{[^}]*\}/g

/** Writes to `dir`; the modules of which the script is made. */
export async function buildGraphiql(dir: string): Promise<string[]> {
  const { rolldown } = await import('rolldown')
  const made = await rolldown({
    cwd: root,
    platform: 'browser',
    input: { app: 'src/graphiql/main.ts' },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'warn',
    checks: { moduleLevelDirective: false },
  })
  const { output } = await made.generate({ format: 'esm', minify: true, codeSplitting: false })
  const [script] = output
  const style = ['node_modules/graphiql/dist/style.css', 'src/graphiql/page.css']
    .map((file) => readFileSync(join(root, file), 'utf8').replaceAll(FONT, ''))
    .join('\n')
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  const page = readFileSync(join(root, 'src/graphiql/index.html'), 'utf8')
    .replace('{{script}}', writeCompressed(dir, 'js', script.code))
    .replace('{{style}}', writeCompressed(dir, 'css', style))
  writeFileSync(join(dir, 'index.html'), page)
  return script.moduleIds
}

/** The path under which the page finds it. */
function writeCompressed(dir: string, ending: 'js' | 'css', text: string): string {
  const name = `app-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.${ending}`
  const bytes = Buffer.from(text)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes, { params }))
  writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }))
  return `/graphiql/${name}`
}
