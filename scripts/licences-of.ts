/** The licences of the packages that some modules are from, for who receives these modules bundled. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
}

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice|third[-_]?party)/i
const RULE = `\n${'-'.repeat(100)}\n\n`

/** A text with each package once, in the order of the alphabet. Throws when one says nothing of its licence. */
export function licencesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((module) => folderOf(module) ?? []))
  const packages = [...folders].map((folder) => ({ folder, ...manifestOf(folder) }))
  const sorted = packages.sort((a, b) => (a.name + a.version < b.name + b.version ? -1 : 1))
  const head =
    "Factotum itself is its owners' (see README.md). The files beside this one also hold the following packages, under their own licences. " +
    'Node and PostgreSQL are installed as packages of their own, and bring theirs along.\n'
  return [head, ...sorted.map(describe)].join(RULE)
}

/** Of the innermost package; null: of none. */
function folderOf(module: string): string | null {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? null
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function describe({ folder, name, version, license }: Manifest & { readonly folder: string }): string {
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file) && /^[^.]*(?:\.(?:md|txt|markdown))?$/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  if (license === undefined && texts.length === 0) throw new Error(`${name} ${version} says nothing of its licence`)
  return `${[`${name} ${version}: ${license ?? 'see below'}`, ...texts].join('\n\n')}\n`
}
