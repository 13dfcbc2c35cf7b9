/**
 * Where the files of the package are that are no modules, in a checkout (`src/`) and in a release, where one folder
 * holds all modules.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const own = fileURLToPath(import.meta.url)

/** `path` from the folder of package.json. */
export function packageFile(path: string): string {
  return join(findRoot(dirname(own)), path)
}

/** The file of a program that is a process of its own: `path` from `src`, without its ending. */
export function programFile(path: string): string {
  return extname(own) === '.ts' ? packageFile(`src/${path}.ts`) : join(dirname(own), `${basename(path)}${extname(own)}`)
}

/** The URL of a module that other programs import: `path` from `src`, without its ending. */
export function moduleUrl(path: string): string {
  return pathToFileURL(programFile(path)).href
}

/** The folder of what is made for browsers: in `src/generated` in a checkout, beside the modules in a release. */
export function builtFolder(name: string): string {
  return extname(own) === '.ts' ? packageFile(`src/generated/${name}`) : join(dirname(own), name)
}

/** The folder of the built console: where its workspace makes it, or beside the modules in a release. */
export function consoleFolder(): string {
  return extname(own) === '.ts' ? packageFile('console/dist') : join(dirname(own), 'console')
}

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder))
}
