/**
 * LangGraph's two servers for JavaScript, both of @langchain/langgraph-api: the API server that `langgraph dev` starts,
 * whose threads, runs and checkpoints are in memory; and, with a database's URL, the routes that it offers for servers
 * of one's own, over its checkpointer for PostgreSQL.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import { createEmbedServer } from '@langchain/langgraph-api/experimental/embed'
import { startServer } from '@langchain/langgraph-api/server'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { graph } from './langgraph-agent.js'
import { databaseUrl, ready } from './work.js'

/** What `langgraph dev` starts. */
const WORKERS = 10

if (databaseUrl === undefined) {
  const { host } = await startServer({
    port: 0,
    host: '127.0.0.1',
    nWorkers: WORKERS,
    cwd: mkdtempSync(join(tmpdir(), 'factotum-bench-langgraph-')),
    graphs: { agent: `${fileURLToPath(new URL('langgraph-agent.js', import.meta.url))}:graph` },
  })
  ready(`http://${host}`)
} else {
  const checkpointer = PostgresSaver.fromConnString(databaseUrl)
  await checkpointer.setup()
  // What the server's owner brings: LangGraph has no threads in PostgreSQL outside of its platform.
  const known = new Map()
  const threads = {
    get: (id) => Promise.resolve(known.get(id)),
    set: (id, { metadata }) => {
      known.set(id, { thread_id: id, metadata: { ...known.get(id)?.metadata, ...metadata } })
      return Promise.resolve(known.get(id))
    },
    delete: (id) => Promise.resolve(void known.delete(id)),
  }
  const { fetch } = createEmbedServer({ graph: { agent: graph }, threads, checkpointer })
  serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(`http://127.0.0.1:${port}`))
}
