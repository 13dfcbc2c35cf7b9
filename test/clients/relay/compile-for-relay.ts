/** What the Relay compiler makes of chat.graphql, in a folder that is gone when it has been imported. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { parse, print } from 'graphql'
import type { ConcreteRequest } from 'relay-runtime'

const SOURCE = new URL('chat.graphql', import.meta.url)
const COMPILER = fileURLToPath(import.meta.resolve('relay-compiler/cli.js'))

/** Each operation by its name. Throws with the words of the compiler when it refuses one. */
export async function compileForRelay(): Promise<(operation: string) => ConcreteRequest> {
  const folder = await mkdtemp(join(tmpdir(), 'factotum-relay-'))
  try {
    const { definitions } = parse(await readFile(SOURCE, 'utf8'))
    const tags = definitions.map((definition) => `graphql\`${print(definition)}\``).join('\n')
    await mkdir(join(folder, 'artifacts'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'Chat.js'), tags)
    await writeFile(join(folder, 'relay.config.json'), JSON.stringify(configuration()))
    await promisify(execFile)(process.execPath, [COMPILER, 'relay.config.json'], { cwd: folder })
    const operations = definitions.flatMap((one) => (one.kind === 'OperationDefinition' ? [one.name?.value ?? ''] : []))
    const compiled = await Promise.all(operations.map((name) => importArtifact(folder, name)))
    const byName = new Map(operations.map((name, index) => [name, compiled[index]]))
    return (name) => {
      const artifact = byName.get(name)
      if (artifact === undefined) throw new Error(`chat.graphql has no ${name}`)
      return artifact
    }
  } finally {
    await rm(folder, { recursive: true })
  }
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
