/** Blocks that are no commands: code has the types that it says, data can be read, and nothing is left out. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { FENCES, fencesOf } from './fences.ts'

/** Languages whose blocks are run or read by a test; which one. */
const JUDGES: Readonly<Record<string, string>> = {
  sh: 'test/processes/pages-in-a-shell.pg.test.ts',
  bash: 'test/processes/pages-in-a-shell.pg.test.ts',
  graphql: 'test/processes/pages-in-a-shell.pg.test.ts',
  toml: 'pages.test.ts',
  ts: 'code.test.ts',
  tsx: 'test/repository/client-guide.test.ts',
  json: 'code.test.ts',
  message: 'test/processes/pages-in-a-shell.pg.test.ts',
}

/** Blocks that nothing here can run, by page and language, and why. */
const NOT_HERE: Readonly<Record<string, string>> = {
  'docs/protocols.md yaml': 'the configuration of LibreChat, which is another server',
  'docs/operations.md yaml': 'the configuration of a collector, which is another program',
  'docs/plugins.md md': 'sentences for a model',
  'examples/webhook-receiver/README.md http': 'a request as it arrives; test/delivery/outbox.pg.test.ts reads one',
}

test('every block is run or read by a test, or it is said why it cannot be', () => {
  const unknown = FENCES.filter(
    ({ page, language }) => JUDGES[language] === undefined && NOT_HERE[`${page} ${language}`] === undefined,
  )
  expect(unknown.map(({ page, line, language }) => `${page}:${line} (${language})`)).toEqual([])
  const used = new Set(FENCES.map(({ page, language }) => `${page} ${language}`))
  expect(Object.keys(NOT_HERE).filter((one) => !used.has(one))).toEqual([])
})

test.each(fencesOf('json'))('$page:$line is JSON', ({ text }) => {
  expect(Object.keys(JSON.parse(text) as object)).not.toEqual([])
})

/** What a page has at hand: its reader's token, and a package that is none of ours and not installed here. */
const AT_HAND = `declare const token: string
declare module '@ai-sdk/react' {
  import type { ChatInit, UIMessage } from 'ai'
  export function useChat(options: ChatInit<UIMessage> & { resume?: boolean }): { messages: UIMessage[] }
}
`

const CONFIG = {
  extends: resolve('tsconfig.json'),
  // A page says what matters, and is no part of this code.
  compilerOptions: {
    noUnusedLocals: false,
    noUnusedParameters: false,
    noPropertyAccessFromIndexSignature: false,
    exactOptionalPropertyTypes: false,
  },
  include: ['.'],
}

test('code has the types that it says', async () => {
  // Those of docs/clients are files of the tests, which have been read as such.
  const blocks = fencesOf('ts').filter(({ text }) => !text.startsWith('// test/'))
  expect(blocks.length).toBeGreaterThan(4)
  await mkdir('test/generated', { recursive: true })
  // Here, so that packages are found.
  const folder = await mkdtemp('test/generated/pages-')
  try {
    await writeFile(join(folder, 'at-hand.d.ts'), AT_HAND)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG))
    for (const { page, line, text } of blocks)
      await writeFile(join(folder, `${page.replaceAll(/\W/g, '-')}-${line}.ts`), `${text}\nexport {}\n`)
    const tsc = promisify(execFile)('node_modules/.bin/tsc', ['--noEmit', '--project', folder])
    const said = await tsc.then(
      () => '',
      ({ stdout }: { readonly stdout: string }) => stdout,
    )
    expect(said).toBe('')
  } finally {
    await rm(folder, { recursive: true })
  }
})
