/** How facts are found by what they mean: by an index of pgvector, or by comparing all, and what stands in the way. */
import { messageOf } from '../../core/errors.ts'
import { hasCode } from '../../platform/error-code.ts'
import type { Logger } from '../../platform/logger.ts'
import { Database } from '../../store/database.ts'
import { COMPARED_ALL } from '../../store/embeddings/nearest-sketches.ts'
import { canIndex, readSketchIndex, type SketchIndexState } from '../../store/embeddings/sketch-index.ts'
import { ok, warn, type Finding } from './finding.ts'

const CHECK = 'embedder'

const NO_TABLE = '42P01'

/** Nothing where no server has run yet. Never rejects. Changes nothing in the database. */
export async function checkSketchIndex(url: string, logger: Logger): Promise<readonly Finding[]> {
  const database = new Database({ url, maxConnections: 1, logger })
  try {
    return [describeSketchIndex(await readSketchIndex(database, COMPARED_ALL))]
  } catch (error) {
    if (hasCode(error, NO_TABLE)) return []
    return [warn(CHECK, `The vectors of facts cannot be read: ${messageOf(error)}`, 'See the check of the database.')]
  } finally {
    await database.close()
  }
}

const ALL_COMPARED = 'Near facts are found by comparing all in reach'
const INSTALL = 'Install pgvector 0.7 or later on the database server; nothing else is to be set.'

export function describeSketchIndex(state: SketchIndexState): Finding {
  const { created, available, mayCreate, index, isWorthwhile } = state
  const version = created ?? available
  if (index === 'READY') return ok(CHECK, `Near facts are found by an index of pgvector ${created}.`)
  if (version === null)
    return isWorthwhile
      ? warn(CHECK, `${ALL_COMPARED}, which takes long with so many; the server has no pgvector.`, INSTALL)
      : ok(CHECK, `${ALL_COMPARED}; the server has no pgvector, and needs none up to ${COMPARED_ALL} of them.`)
  if (!canIndex(version)) return warn(CHECK, `${ALL_COMPARED}: pgvector ${version} is too old.`, `${INSTALL} ${UPDATE}`)
  if (created === null && !mayCreate)
    return warn(CHECK, `${ALL_COMPARED}: this role may not create pgvector, which the server has.`, CREATE)
  if (!isWorthwhile)
    return ok(CHECK, `${ALL_COMPARED}; from ${COMPARED_ALL} vectors on, pgvector ${version} makes an index of them.`)
  const fix = 'A running server makes it within minutes; else its log says why not.'
  const part = index === 'NONE' ? 'is not made yet' : 'is being made, or was cut off'
  return warn(CHECK, `${ALL_COMPARED}; the index of pgvector ${version} ${part}.`, fix)
}

const CREATE = 'As a superuser, in this database: CREATE EXTENSION vector'
const UPDATE = 'Then, in this database: ALTER EXTENSION vector UPDATE'
