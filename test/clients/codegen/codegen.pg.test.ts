/** What GraphQL Code Generator makes by the recipe compiles, and has no "any" and no unknown scalar in it. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { generate } from '@graphql-codegen/cli'
import { expect, test } from 'vitest'
import { createTemporaryHome } from '../../harness/temporary-home.ts'
import { Story } from '../../harness/story.ts'
import config from './codegen.ts'

const USE = `
import { ChatDocument, type ChatQuery } from './generated/graphql'
export const text: string = ChatDocument.toString()
type Entry = NonNullable<ChatQuery['session']>['conversation']['edges'][number]['node']
export function statusOf(entry: Entry): string {
  if (entry.__typename !== 'PersonMessage') return 'said'
  switch (entry.turn?.status) {
    case 'DONE':
      return 'over'
    default:
      return 'new to us, or not over'
  }
}
`

test('by the schema that the server shows, scalars, enums and unions have types', async () => {
  await using story = await Story.begin()
  await using folder = await createTemporaryHome()
  const src = join(folder.path, 'src')
  await mkdir(src)
  await symlink(resolve('node_modules'), join(folder.path, 'node_modules'))
  await cp('test/documents/clients.graphql', join(src, 'chat.graphql'))
  await writeFile(join(src, 'when.graphql'), 'query When { sessions(first: 1) { edges { node { id createdAt } } } }')
  const schema = `${story.app.url}/schema.graphql`
  const files = await generate({ ...config, schema, cwd: folder.path, silent: true, errorsOnly: true }, true)
  expect(files.length).toBeGreaterThan(2)
  const types = await readFile(join(src, 'generated/graphql.ts'), 'utf8')
  expect(types.match(/: any\b|: unknown;/g)).toBeNull()
  expect(types).toMatch(/createdAt: string\b/)
  expect(types).toContain("'%future added value'")

  await writeFile(join(src, 'use.ts'), USE)
  const options = ['--noEmit', '--strict', '--module', 'esnext', '--moduleResolution', 'bundler', '--types', 'node']
  const compiled = promisify(execFile)(resolve('node_modules/.bin/tsc'), [...options, 'src/use.ts'], {
    cwd: folder.path,
  })
  await expect(compiled).resolves.toEqual({ stdout: '', stderr: '' })
})
