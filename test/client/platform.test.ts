/**
 * The client runs where a browser is all there is: it is checked against a browser's globals, and its bundle's every
 * import is seen.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stripTypeScriptTypes } from 'node:module'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const entry = join(root, 'packages/client/src/connect.ts')

/**
 * Every file that the browser gets, and what is imported there that is no file of the client's or of graphql-ws's
 * client.
 */
function bundle(): { readonly files: string[]; readonly foreign: string[] } {
  const files = new Set<string>()
  const foreign: string[] = []
  const visit = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    const source = readFileSync(file, 'utf8')
    for (const specifier of importsOf(file.endsWith('.ts') ? stripTypeScriptTypes(source) : source)) {
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier))
      else if (specifier === 'graphql-ws/client') visit(fileURLToPath(import.meta.resolve(specifier)))
      else foreign.push(`${file}: ${specifier}`)
    }
  }
  visit(entry)
  return { files: [...files], foreign }
}

/** Static imports and re-exports, import() and require(). */
function importsOf(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '')
  const found = [
    ...code.matchAll(/^\s*(?:import|export)\s+(?:[\w$*{},\s]+?\s+from\s+)?(['"])([^'"\n]+)\1/gm),
    ...code.matchAll(/\b(?:import|require)\s*\(\s*(['"])([^'"\n]+)\1/g),
  ]
  return found.flatMap(([, , specifier]) => (specifier === undefined ? [] : [specifier]))
}

test('the bundle is the client and the client of graphql-ws, and nothing of Node', () => {
  const { files, foreign } = bundle()
  expect(foreign).toEqual([])
  expect(files).toContain(join(root, 'packages/client/src/connection.ts'))
  expect(files.some((file) => file.endsWith('graphql-ws/dist/client.js'))).toBe(true)
  expect(files.filter((file) => !/\/packages\/client\/src\/|\/node_modules\/graphql-ws\//.test(file))).toEqual([])
})

test('it compiles with the globals of a browser alone', async () => {
  const tsc = join(root, 'node_modules/.bin/tsc')
  const compiled = promisify(execFile)(tsc, ['--noEmit', '--project', join(root, 'packages/client')])
  await expect(compiled).resolves.toEqual({ stdout: '', stderr: '' })
})

test('frontends import it by the name of the package, from where a release has it', () => {
  expect(fileURLToPath(import.meta.resolve('factotum/client'))).toBe(join(root, 'dist/client/connect.js'))
})
