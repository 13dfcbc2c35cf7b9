/** npm, for packages that are plugins. No script of a package is run, and none of its peer dependencies is fetched. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { AppError } from '../../core/errors.ts'
import { hasCode } from '../../platform/error-code.ts'

const runFile = promisify(execFile)
const TIMEOUT_MS = 300_000
const QUIET = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error']

/** Into `node_modules` of this folder. `spec`: a name, perhaps with a version, or the path of a .tgz. */
export async function npmInstall(folder: string, spec: string): Promise<void> {
  await npm(['install', ...QUIET, '--save-exact', '--prefix', folder, '--', spec])
}

/** No failure when it is not there. */
export async function npmUninstall(folder: string, packageName: string): Promise<void> {
  await npm(['uninstall', ...QUIET, '--prefix', folder, '--', packageName])
}

/** The package of a folder in which nothing else was installed. */
export function installedIn(folder: string): { readonly name: string; readonly version: string } {
  const { dependencies } = read(
    join(folder, 'package.json'),
    z.object({ dependencies: z.record(z.string(), z.string()) }),
  )
  const [name = ''] = Object.keys(dependencies)
  const { version } = read(join(folder, 'node_modules', name, 'package.json'), z.object({ version: z.string() }))
  return { name, version }
}

function read<Value>(path: string, schema: z.ZodType<Value>): Value {
  return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
}

async function npm(args: readonly string[]): Promise<void> {
  try {
    await runFile('npm', args, { timeout: TIMEOUT_MS })
  } catch (error) {
    if (hasCode(error, 'ENOENT'))
      throw new AppError('PLUGIN_REFUSED', 'npm is not there: packages need it on the PATH.')
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new AppError('PLUGIN_REFUSED', `npm failed: ${said.slice(0, 2000)}`, { cause: error })
  }
}
