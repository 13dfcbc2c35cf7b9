import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'

interface Replacing {
  readonly content: string
  readonly factId: string
  readonly alikeIds?: readonly string[]
}

/**
 * A learning that waits is held as one in whose place a fact would go, as the curator leaves it to a person; only
 * the facts `alikeIds` are like it.
 */
export async function holdAsReplacing(url: string, { content, factId, alikeIds = [] }: Replacing): Promise<void> {
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url, maxConnections: 1, logger })
  const text = `UPDATE learnings SET held = true, flags = '{REPLACES}', replaces_fact_id = $2, similar_fact_ids = $3
    WHERE content = $1 AND status = 'PENDING' RETURNING id`
  const rows = await database.query({ name: '', text }, [content, factId, alikeIds])
  await database.close()
  if (rows.length !== 1) throw new Error(`${rows.length} learnings wait that say ${content}`)
}
