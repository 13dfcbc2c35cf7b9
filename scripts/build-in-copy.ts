/**
 * A production install in a checkout (`npm ci --omit=dev`): what is not committed is made in a copy of the checkout,
 * with the locked development packages, and only dist/ comes back. So no development package stays, and the server
 * imports none of its own sources.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const LEFT_OUT = new Set(['node_modules', '.git', '.factotum', 'build', 'dist', 'coverage'])
/** What npm tells its scripts of how it was called, and would obey itself. */
const OF_THE_OUTER_NPM =
  /^npm_config_(?:omit|include|production|only|global|prefix|local_prefix|ignore_scripts|dry_run)$/i

/** Makes `root`/dist. Throws when a program fails, with what it printed; leaves nothing else behind. */
export function buildInCopy(root: string): void {
  mkdirSync(join(root, 'build'), { recursive: true })
  const copy = mkdtempSync(join(root, 'build', 'copy-'))
  try {
    const copied = readdirSync(root).filter((name) => !LEFT_OUT.has(name))
    for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true, verbatimSymlinks: true })
    const env = environment(copy)
    const run = (program: string, args: readonly string[]): void =>
      void execFileSync(program, args, { cwd: copy, env, stdio: 'pipe' })
    run('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
    run(process.execPath, ['scripts/generate.ts', '--force'])
    run(process.execPath, ['scripts/build.ts'])
    rmSync(join(root, 'dist'), { recursive: true, force: true })
    cpSync(join(copy, 'dist'), join(root, 'dist'), { recursive: true })
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Programs are those of the copy, on the Node that runs this. */
function environment(copy: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !OF_THE_OUTER_NPM.test(name) && name !== 'NODE_ENV')
  const PATH = [dirname(process.execPath), join(copy, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  return { ...Object.fromEntries(kept), PATH, NO_UPDATE_NOTIFIER: '1' }
}
