/**
 * A link to a published file needs no password, so a file that holds a secret which is known here is not published: its
 * copy is removed before its link is published. Text is searched as everywhere (src/secrets/redaction.ts); what is
 * packed or encrypted cannot be.
 */
import { reasonOf } from '../../platform/error-code.ts'
import { isAscii } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { Publication, PublishedCopy } from '../../execution/workspace/publication.ts'
import type { Redactor } from '../../secrets/redaction.ts'
import { publishedPath, removePublishedBytes } from '../../store/files/published-bytes.ts'
import type { TurnContext } from '../turn-context.ts'

/** Small enough that searching one piece does not hold up the event loop. */
const PIECE_BYTES = 128 * 1024
/** Searched again with the next piece; longer than a secret in any of its forms. */
const OVERLAP_CHARS = 32 * 1024

/** The publication without those files, and with a note about each. A file that cannot be read is withheld, too. */
export async function withholdSecrets(
  {
    home,
    secrets,
    logger,
  }: Pick<TurnContext, 'home' | 'logger'> & { readonly secrets: Pick<TurnContext['secrets'], 'redactor'> },
  { files, notes }: Publication,
): Promise<Publication> {
  const redactor = secrets.redactor()
  if (redactor.isEmpty) return { files, notes }
  const kept: PublishedCopy[] = []
  const added: string[] = []
  for (const file of files) {
    const problem = await findProblem(publishedPath(home, file.id), { redactor, logger })
    if (problem === null) kept.push(file)
    else added.push(`${file.name} was not published: ${problem}.`)
  }
  const withheld = files.filter((file) => !kept.includes(file))
  await removePublishedBytes(
    home,
    withheld.map(({ id }) => id),
  )
  return { files: kept, notes: [...notes, ...added] }
}

async function findProblem(
  path: string,
  { redactor, logger }: Pick<TurnContext, 'logger'> & { readonly redactor: Redactor },
): Promise<string | null> {
  try {
    return (await holdsSecret(path, redactor)) ? 'it holds a secret, and anybody with the link could read it' : null
  } catch (error) {
    logger.error({ error: reasonOf(error) }, 'a published file cannot be searched for secrets, so it is not published')
    return 'the server could not keep it'
  }
}

async function holdsSecret(path: string, redactor: Redactor): Promise<boolean> {
  const [texts, bytes] = [new Overlap(), new Overlap()]
  const decoder = new StringDecoder('utf8')
  let isText = true
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
    const chunk = piece as Buffer
    if (redactor.spansIn(texts.next(decoder.write(chunk))).length > 0) return true
    // What is no UTF-8 has lost its bytes there: UTF-16, say.
    const asBytes = bytes.next(chunk.toString('latin1'))
    isText &&= isAscii(chunk)
    if (!isText && redactor.spansIn(asBytes).length > 0) return true
  }
  return false
}

/** Pieces of a text, each with the end of the one before. */
class Overlap {
  #tail = ''

  next(piece: string): string {
    const text = this.#tail + piece
    this.#tail = text.slice(-OVERLAP_CHARS)
    return text
  }
}
