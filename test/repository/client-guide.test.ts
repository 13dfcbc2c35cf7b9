/**
 * The code in docs/clients.md and docs/clients/ is the code that tests run. A block's first line names its file, which
 * it shows whole, without the comment at its head; of documents it may be a part. `npx vitest run -u` copies the files.
 */
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const BLOCK = /^```(tsx?|graphql)\n(?:\/\/|#) (\S+)\n([^]*?)^```$/gm
const HEAD_COMMENT = /^\/\*\*[^]*?\*\/\n/

const pages = ['docs/clients.md', ...globSync('docs/clients/*.md')].map((path) => [path, readFileSync(path, 'utf8')])

test.each(pages)('%s shows what is tested', async (path = '', text = '') => {
  const blocks = [...text.matchAll(BLOCK)]
  const ofCode = text.match(/^```(?:tsx?|jsx?|graphql|py|python)$/gm) ?? []
  expect(blocks.length, 'every block of code names its file').toBe(ofCode.length)
  for (const [, , file = '', code = ''] of blocks.filter(([, language]) => language === 'graphql'))
    expect(readFileSync(file, 'utf8')).toContain(code)

  const shown = text.replaceAll(BLOCK, (block, language: string, file: string) =>
    language === 'graphql'
      ? block
      : `\`\`\`${language}\n// ${file}\n${readFileSync(file, 'utf8').replace(HEAD_COMMENT, '')}\`\`\``,
  )
  await expect(shown).toMatchFileSnapshot(resolve(path))
})

test('there are pages and blocks', () => {
  expect(pages.flatMap(([, text = '']) => text.match(BLOCK) ?? []).length).toBeGreaterThan(10)
})
