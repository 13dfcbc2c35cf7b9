/**
 * Makes packages/client/dist: "@factotum/client" as frontends install it, JavaScript modules with types and maps. One
 * file for each of the sources, so that bundlers leave out what a page does not use. And what `npm pack` makes of it,
 * which the server serves.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSchema, Kind, parse, print, TypeInfo, visit, visitWithTypeInfo } from 'graphql'
import type { DocumentNode, FragmentDefinitionNode, GraphQLSchema } from 'graphql'

/** A fragment that a document uses more often is worth its name: the others compress better where they are used. */
const FEW_USES = 3

const folder = fileURLToPath(new URL('../packages/client', import.meta.url))

/** `run`: starts a tool of node_modules/.bin, and fails when it does. */
export function buildClient(run: (tool: string, args: readonly string[]) => void): void {
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  const maps = ['--declaration', '--declarationMap', '--sourceMap']
  const emitted = ['--noEmit', 'false', '--rootDir', `${folder}/src`, '--outDir', `${folder}/dist`]
  run('tsc', ['--project', folder, '--rewriteRelativeImportExtensions', '--target', 'es2022', ...emitted, ...maps])
  const schema = buildSchema(readFileSync(join(folder, '../../schema.graphql'), 'utf8'))
  change('dist/generated/graphql.js', (code) =>
    // Documents become plain strings: a page pays for no class, and bundlers leave out those that it does not use. No
    // page needs the lines of a document, or the spaces around its punctuation.
    code.replaceAll(/= new TypedDocumentString\(`([^`]*)`.*\);$/gm, (_made, document: string) => {
      const spread = print(withoutFewUses(parse(document), schema))
      return `= \`${spread.replaceAll(/\s+/g, ' ').replaceAll(/ ?([{}():,]|\.{3}) ?/g, '$1')}\`;`
    }),
  )
  change('dist/generated/graphql.d.ts', (types) =>
    // The one type that a package would be needed for.
    types.replace(
      /^import type \{ DocumentTypeDecoration \}.*$/m,
      'interface DocumentTypeDecoration<Result, Variables> { __apiType?: (variables: Variables) => Result }',
    ),
  )
}

/** Makes `dir`/client.tgz of what `buildClient` has made; the same bytes each time. */
export function packClient(dir: string): void {
  mkdirSync(dir, { recursive: true })
  // Said on the line, because what the npm that runs us was called with holds for this one, too.
  const options = ['--ignore-scripts', '--dry-run=false', '--json=false', '--loglevel=error', '--pack-destination', dir]
  const printed = execFileSync('npm', ['pack', '.', '--workspaces=false', ...options], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_UPDATE_NOTIFIER: '1' },
  })
  renameSync(join(dir, printed.trim()), join(dir, 'client.tgz'))
}

/** The same document, with the fields of each fragment that has few uses where it is used. */
function withoutFewUses(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  const uses: string[] = []
  visit(document, { FragmentSpread: ({ name }) => void uses.push(name.value) })
  const isRare = (name: string): boolean => uses.includes(name) && uses.filter((use) => use === name).length <= FEW_USES
  const rare = document.definitions.find(
    (part): part is FragmentDefinitionNode => part.kind === Kind.FRAGMENT_DEFINITION && isRare(part.name.value),
  )
  if (rare === undefined) return document
  const types = new TypeInfo(schema)
  const spread = visitWithTypeInfo(types, {
    SelectionSet: (set) => ({
      ...set,
      selections: set.selections.flatMap((selection) => {
        if (selection.kind !== Kind.FRAGMENT_SPREAD || selection.name.value !== rare.name.value) return [selection]
        const { typeCondition, selectionSet } = rare
        if (types.getParentType()?.name === typeCondition.name.value) return selectionSet.selections
        return [{ kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet } as const]
      }),
    }),
  })
  const rest = { ...document, definitions: document.definitions.filter((part) => part !== rare) }
  return withoutFewUses(visit(rest, spread), schema)
}

function change(file: string, edit: (text: string) => string): void {
  const text = readFileSync(join(folder, file), 'utf8')
  const edited = edit(text)
  if (edited === text) throw new Error(`${file} is not what was expected of @graphql-codegen`)
  writeFileSync(join(folder, file), edited)
}
