/**
 * Where the files of the package are that are no modules, in a checkout (`src/`) and in a release, where one folder
 * holds all modules.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const own = fileURLToPath(import.meta.url)

/** `path` from the folder of package.json. */
export function packageFile(path: string): string {
  return join(findRoot(dirname(own)), path)
}

/** The file of a program that is a process of its own: `path` from `src`, without its ending. */
export function programFile(path: string): string {
  return extname(own) === '.ts' ? packageFile(`src/${path}.ts`) : join(dirname(own), `${basename(path)}${extname(own)}`)
}

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder))
}
