/**
 * A file that a task has published: how it is named, to servers and to people. Its id is the key to its bytes: 128
 * random bits, nothing in it tells of the session.
 */
import { randomHex } from '../../platform/random.ts'
import { LOOSE_JOINER } from '../text/harmless.ts'

const ID_PATTERN = /^pub_[0-9a-f]{32}$/
const MAX_NAME_LENGTH = 120
/** File systems count them. */
const MAX_NAME_BYTES = 255
const MAX_EXTENSION_LENGTH = 16

export function newPublishedFileId(): string {
  return `pub_${randomHex(16)}`
}

/** Where the door has it. */
export function publishedUrlPath(id: string): string {
  return `/pub/${id}`
}

export function isPublishedFileId(text: string): boolean {
  return ID_PATTERN.test(text)
}

/**
 * A name under which any file system can store the file at `path` below pub/: one part, no control characters, nothing
 * unseen but what joins letters or emoji, nothing that turns text around or that some file system refuses, at most 120
 * characters and 255 bytes, its extension kept. Never empty.
 */
export function publishedName(path: string): string {
  const name = path
    .toWellFormed()
    .normalize('NFC')
    .replaceAll('/', '-')
    .replaceAll(/(?![\u200C\u200D])\p{Cf}|[\p{Cc}\p{Zl}\p{Zp}\uFFFD]/gu, '')
    .replaceAll(LOOSE_JOINER, '')
    .replaceAll(/[\\:*?"<>|]/g, '_')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[ .]+|[ .]+$/g, '')
  return shorten(name === '' ? 'file' : name)
}

/** Cut between whole characters, the middle first. */
function shorten(name: string): string {
  if (isShort(name)) return name
  const extension = extensionOf(name)
  let stem = name.slice(0, MAX_NAME_LENGTH - extension.length)
  while (!stem.isWellFormed() || !isShort(stem + extension)) stem = stem.slice(0, -1)
  return stem + extension
}

function isShort(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && Buffer.byteLength(name) <= MAX_NAME_BYTES
}

function extensionOf(name: string): string {
  const extension = name.slice(name.lastIndexOf('.'))
  return name.includes('.') && extension.length <= MAX_EXTENSION_LENGTH ? extension : ''
}

/** By the extension alone: what a file holds is not read, by us or (nosniff) by browsers. */
export function contentTypeOf(name: string): string {
  const extension = extensionOf(name).slice(1).toLowerCase()
  return CONTENT_TYPES.get(extension) ?? 'application/octet-stream'
}

const TEXT = 'text/plain; charset=utf-8'
const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ...['txt', 'log', 'text'].map((extension) => [extension, TEXT] as const),
  ['md', 'text/markdown; charset=utf-8'],
  ['csv', 'text/csv; charset=utf-8'],
  ['tsv', 'text/tab-separated-values; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['htm', 'text/html; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['ics', 'text/calendar; charset=utf-8'],
  ['json', 'application/json'],
  ['xml', 'application/xml'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
  ['pdf', 'application/pdf'],
  ['zip', 'application/zip'],
  ['gz', 'application/gzip'],
  ['tgz', 'application/gzip'],
  ['tar', 'application/x-tar'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['ods', 'application/vnd.oasis.opendocument.spreadsheet'],
  ['odt', 'application/vnd.oasis.opendocument.text'],
  ['epub', 'application/epub+zip'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['svg', 'image/svg+xml'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['ogg', 'audio/ogg'],
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
])
