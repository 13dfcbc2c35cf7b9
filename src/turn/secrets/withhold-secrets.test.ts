import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newPublishedFileId } from '../../core/file/published-file.ts'
import type { PublishedCopy } from '../../execution/workspace/publication.ts'
import { secretForms } from '../../../test/harness/secret-forms.ts'
import { createLogger } from '../../platform/logger.ts'
import { Redactor } from '../../secrets/redaction.ts'
import { publishedFolder, publishedPath } from '../../store/files/published-bytes.ts'
import { withholdSecrets } from './withhold-secrets.ts'

const SECRET = 'correct horse battery'
const PIECE = 128 * 1024
const logger = createLogger({ level: 'silent', pretty: false })

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'factotum-withhold-'))
  mkdirSync(publishedFolder(home))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function copyOf(name: string, content: string | Buffer): PublishedCopy {
  const id = newPublishedFileId()
  writeFileSync(publishedPath(home, id), content)
  return { id, name, size: content.length }
}

const withhold = (files: readonly PublishedCopy[], redactor = Redactor.of([SECRET])) =>
  withholdSecrets(
    { home, logger, secrets: { redactor: () => redactor } },
    { files, notes: ['pub/x was not published: …'] },
  )

test('what holds a secret, in whatever form and wherever it is cut, is removed and said to be', async () => {
  const harmless = copyOf('harmless.txt', 'x'.repeat(3 * PIECE))
  const binary = copyOf('noise.bin', Buffer.from([0, 255, 128, 200]))
  const withSecret = [
    copyOf('plain.txt', `the key is ${SECRET}\n`),
    copyOf('base64.txt', Buffer.from(`user:${SECRET}`).toString('base64')),
    ...[1, 5, 20].map((before) => copyOf('cut.txt', `${'x'.repeat(PIECE - before)}${SECRET}${'x'.repeat(PIECE)}`)),
    copyOf('reversed.txt', Array.from(SECRET).toReversed().join('')),
    copyOf('utf-16.txt', Buffer.from(`\uFEFFä: ${SECRET}\n`, 'utf16le')),
    copyOf('utf-16be.txt', Buffer.from(`ä: ${SECRET}\n`, 'utf16le').swap16()),
    copyOf('among.bin', Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(SECRET), Buffer.from([0, 255])])),
  ]
  const { files, notes } = await withhold([...withSecret, harmless, binary])
  expect(files).toEqual([harmless, binary])
  expect(readdirSync(publishedFolder(home)).sort()).toEqual([harmless.id, binary.id].sort())
  expect(notes).toHaveLength(1 + withSecret.length)
  expect(notes[1]).toBe('plain.txt was not published: it holds a secret, and anybody with the link could read it.')
})

test.each(secretForms.map((form) => [form.name, form] as const))(
  'a file with a secret in the form %s is removed',
  async (_, form) => {
    const secret = 'Öffne-dich!42'
    if (form.fits?.(secret) === false) return
    const { text } = form.write(secret, { before: `${'x'.repeat(PIECE - 20)}\n`, after: '\nafter' })
    const { files } = await withhold([copyOf('some.txt', text)], Redactor.of([secret]))
    expect(files).toEqual([])
  },
)

test('without known secrets nothing is read; a copy that cannot be read is not published', async () => {
  const gone = { id: newPublishedFileId(), name: 'gone.txt', size: 3 }
  expect((await withhold([gone], Redactor.none)).files).toEqual([gone])
  const { files, notes } = await withhold([gone])
  expect(files).toEqual([])
  expect(notes[1]).toMatch(/^gone\.txt was not published: the server could not keep it/)
})
