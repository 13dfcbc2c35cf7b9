/**
 * `GET /pub/<id>`: a published file. Its id is the only key, so no answer shows whether an id never existed or has
 * expired, and no header lets a browser do more with a file than keep it.
 *
 * What must hold: nothing but an id becomes part of a path; what a program wrote never runs in a page of this origin.
 */
import { open, type FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { isPublishedFileId } from '../../core/file/published-file.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Database } from '../../store/database.ts'
import { hasCode } from '../../platform/error-code.ts'
import { publishedPath } from '../../store/files/published-bytes.ts'
import { findServableFile, type ServableFile } from '../../store/files/published-files.ts'
import { contentDisposition } from './content-disposition.ts'
import { readRange, type ByteRange } from './file-range.ts'
import type { Exchange } from '../http/plain-route.ts'
import { sendJson } from '../health/probes.ts'

export const FILES_PATH = '/pub/'

export interface ServeFileOptions {
  readonly database: Database
  /** FACTOTUM_HOME. */
  readonly home: string
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Shown in the browser when the link ends in "?inline"; everything else is a download. None of them can hold a script.
 */
const INLINE_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'text/plain; charset=utf-8',
])

/** Rejects when the database fails; a client that leaves is no failure. */
export async function serveFile(options: ServeFileOptions, { request, response, url }: Exchange): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return sendJson(response, 405, { error: 'A published file can be read, with GET or HEAD.' })
  }
  const id = url.pathname.slice(FILES_PATH.length)
  const row = isPublishedFileId(id) ? await findServableFile(options.database, id, options.clock.now()) : null
  const file = row === null ? null : await openBytes(options, id, row)
  if (row === null || file === null)
    return sendJson(response, 404, { error: 'There is no such file, or not any more.' })
  try {
    await answer({ request, response, url }, file, { ...row, id })
  } finally {
    await file.close()
  }
}

/** The id is not logged: it is the key. */
async function openBytes(
  { home, logger }: ServeFileOptions,
  id: string,
  row: ServableFile,
): Promise<FileHandle | null> {
  try {
    return await open(publishedPath(home, id), 'r')
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    const place = 'its row is there, but not its bytes. With several hosts, FACTOTUM_HOME must be shared by all'
    logger.error({ taskId: row.taskId, home }, `a published file cannot be served: ${place}`)
    return null
  }
}

async function answer(
  { request, response, url }: Exchange,
  file: FileHandle,
  row: ServableFile & { id: string },
): Promise<void> {
  const etag = `"${row.id}"`
  const asked = ifRangeHolds(request, etag) ? readRange(request.headers.range, row.size) : 'WHOLE'
  setSafeHeaders(response, { etag, row, isInline: url.searchParams.has('inline') })
  if (matchesEtag(request.headers['if-none-match'], etag)) return void response.writeHead(304).end()
  if (asked === 'UNSATISFIABLE') {
    return void response.writeHead(416, { 'content-range': `bytes */${row.size}`, 'content-length': 0 }).end()
  }
  const range: ByteRange = asked === 'WHOLE' ? { start: 0, end: row.size - 1 } : asked
  const part = asked === 'WHOLE' ? {} : { 'content-range': `bytes ${range.start}-${range.end}/${row.size}` }
  response.writeHead(asked === 'WHOLE' ? 200 : 206, { ...part, 'content-length': range.end - range.start + 1 })
  if (request.method === 'HEAD' || row.size === 0) return void response.end()
  await pipeline(file.createReadStream({ ...range, autoClose: false }), response).catch(ignoreLeaving)
}

interface Served {
  readonly etag: string
  readonly row: ServableFile
  readonly isInline: boolean
}

function setSafeHeaders(response: ServerResponse, { etag, row, isInline }: Served): void {
  const kind = isInline && INLINE_TYPES.has(row.contentType) ? 'inline' : 'attachment'
  const headers = {
    'content-type': row.contentType,
    'content-disposition': contentDisposition(kind, row.name),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-site',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    // Asked again each time, which costs an answer without a body: an expired or deleted file is gone at once.
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    etag,
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

/** A published file never changes, so its id says all. */
function matchesEtag(header: string | undefined, etag: string): boolean {
  return header !== undefined && header.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim()))
}

function ifRangeHolds({ headers }: IncomingMessage, etag: string): boolean {
  return headers['if-range'] === undefined || headers['if-range'] === etag
}

/** The client went away, or the disk failed: in both cases the connection is closed before the promised length. */
function ignoreLeaving(error: unknown): void {
  if (!hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE', 'ABORT_ERR')) throw error
}
