/** The facts of a store, embedded as a server does it, by a stand-in for a model over real HTTP. */
import { OPEN_GATE } from '../../src/agents/call-gate.ts'
import { Embedder } from '../../src/knowledge/embeddings/embedder.ts'
import { EmbeddingJobs } from '../../src/knowledge/embeddings/embedding-jobs.ts'
import { selectFacts } from '../../src/knowledge/select-facts.ts'
import { createEmbeddings } from '../../src/model/create-language-model.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { Logger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import type { Database } from '../../src/store/database.ts'
import { EmbeddingsEndpoint } from '../../test/harness/embeddings-endpoint.ts'
import { StubConfig } from '../../test/model/stub-config.ts'
import { ASKING, type Choice } from './recall.ts'
import { TIMING } from '../../src/config/timing.ts'

const CHECK_MS = 500

/** What is chosen with embeddings, until it is closed. */
export interface WithEmbeddings extends AsyncDisposable {
  readonly choice: Choice
  /** Waits until each fact has its vector. */
  embedAll(database: Database): Promise<void>
}

export async function withEmbeddings(logger: Logger, maxCount: number): Promise<WithEmbeddings> {
  const endpoint = await EmbeddingsEndpoint.start()
  const stub = new StubConfig({ baseUrl: endpoint.baseUrl, apiKeyEnv: null })
  const config = {
    current: () => ({ ...stub.config, embedder: { provider: 'stub', model: 'meanings' } }),
    onChange: () => () => {},
  }
  const clock = systemClock
  const model = createEmbeddings({ config, keys: { apiKey: () => null }, proxyEnv: {}, clock, logger })
  const embedder = new Embedder({ config, model, clock, logger })
  const never = new AbortController().signal
  return {
    choice: async (database, { text, before, reach }) => {
      const { meaning } = await embedder.meaningOf(
        before === null ? [text] : [text, `${before}\n${text}`],
        OPEN_GATE,
        never,
      )
      const known = { before: before === null ? [] : [before], ...(reach === undefined ? {} : { reach }) }
      const query = { about: text, ...known, teachers: ASKING, maxCount }
      return selectFacts(database, query, meaning)
    },
    embedAll: async (database) => {
      const metrics = createMetrics()
      const jobs = new EmbeddingJobs({
        database,
        embedder,
        redact: (text) => text,
        metrics,
        timing: TIMING,
        clock,
        logger,
      })
      jobs.start()
      while ((await database.query<{ left: number }>(LEFT, []))[0]?.left !== 0) await clock.sleep(CHECK_MS, never)
      await jobs.stop()
      await database.query({ name: '', text: 'VACUUM ANALYZE fact_embeddings' }, [])
    },
    [Symbol.asyncDispose]: () => endpoint.close(),
  }
}

const LEFT = {
  name: 'bench.facts-left',
  text: `SELECT ((SELECT count(*) FROM facts) - (SELECT count(*) FROM fact_embeddings))::int AS left`,
}
