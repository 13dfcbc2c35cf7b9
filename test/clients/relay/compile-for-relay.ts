/**
 * What the Relay compiler makes of chat.graphql, and of what pages do besides, in a folder that is gone when it has
 * been imported.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { parse, print, type DefinitionNode } from 'graphql'
import type { ConcreteRequest } from 'relay-runtime'
import { must } from '../../../src/platform/must.ts'

const SOURCE = new URL('chat.graphql', import.meta.url)
const BESIDES = new URL('../../documents/client-pages.graphql', import.meta.url)
const COMPILER = fileURLToPath(import.meta.resolve('relay-compiler/cli.js'))

/** Each operation by its name. Throws with the words of the compiler when it refuses one. */
export async function compileForRelay(): Promise<(operation: string) => ConcreteRequest> {
  const artifacts = await artifactsForRelay()
  return (name) => must(artifacts.get(name), `the operation ${name}`)
}

/** All of them, by name. */
export async function artifactsForRelay(): Promise<ReadonlyMap<string, ConcreteRequest>> {
  const folder = await mkdtemp(join(tmpdir(), 'factotum-relay-'))
  try {
    const besides = parse(await readFile(BESIDES, 'utf8')).definitions.map(namedForRelay)
    const definitions = [...parse(await readFile(SOURCE, 'utf8')).definitions, ...besides]
    const tags = definitions.map((definition) => `graphql\`${print(definition)}\``).join('\n')
    await mkdir(join(folder, 'artifacts'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'Chat.js'), tags)
    await writeFile(join(folder, 'relay.config.json'), JSON.stringify(configuration()))
    await promisify(execFile)(process.execPath, [COMPILER, 'relay.config.json'], { cwd: folder })
    const operations = definitions.flatMap((one) => (one.kind === 'OperationDefinition' ? [one.name?.value ?? ''] : []))
    const compiled = operations.map(async (name) => [name, await importArtifact(folder, name)] as const)
    return new Map(await Promise.all(compiled))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Its compiler wants the kind of an operation in its name. */
function namedForRelay(definition: DefinitionNode): DefinitionNode {
  if (definition.kind !== 'OperationDefinition' || definition.name === undefined) return definition
  const suffix = definition.operation === 'mutation' ? 'Mutation' : 'Query'
  return { ...definition, name: { ...definition.name, value: `${definition.name.value}${suffix}` } }
}

function configuration(): object {
  return {
    src: '.',
    schema: resolve('schema.graphql'),
    language: 'javascript',
    artifactDirectory: 'artifacts',
    eagerEsModules: true,
  }
}

async function importArtifact(folder: string, name: string): Promise<ConcreteRequest> {
  const { href } = pathToFileURL(join(folder, 'artifacts', `${name}.graphql.js`))
  const { default: artifact } = (await import(href)) as { readonly default: ConcreteRequest }
  return artifact
}
