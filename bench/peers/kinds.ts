/** The peers: what is started of each, how it is spoken to, and what it has kept when the answer is there. */
import type { PeerKind } from './peer.ts'

interface MastraEvent {
  readonly type?: string
  readonly payload?: { readonly text?: string }
}

/** A message of the model, or a piece of one, and where in the graph it is from; or the run's id. */
type LangGraphEvent = readonly [{ readonly type: string; readonly content: unknown }, object] | object

const langgraph: PeerKind['protocol'] = {
  open: (threadId) => ({ path: '/threads', body: { thread_id: threadId, metadata: { graph_id: 'agent' } } }),
  send: (threadId, content) => ({
    path: `/threads/${threadId}/runs/stream`,
    body: { assistant_id: 'agent', input: { messages: [{ role: 'user', content }] }, stream_mode: ['messages-tuple'] },
  }),
  textOf: (event: LangGraphEvent) => {
    const message = Array.isArray(event) ? (event[0] as { type: string; content: unknown }) : null
    return message?.type === 'ai' && typeof message.content === 'string' ? message.content : ''
  },
}

export const PEERS: readonly PeerKind[] = [
  {
    name: 'Mastra',
    packages: ['@mastra/core', '@mastra/hono', '@mastra/memory', '@mastra/pg'],
    server: 'mastra-server.js',
    database: 'mastra',
    protocol: {
      send: (thread, content) => ({
        path: '/api/agents/agent/stream',
        body: { messages: [{ role: 'user', content }], memory: { thread, resource: 'ada' } },
      }),
      textOf: ({ type, payload }: MastraEvent) => (type === 'text-delta' ? (payload?.text ?? '') : ''),
    },
    keeps: 'messages in PostgreSQL, once the turn has ended; a call or a command under way is no row',
  },
  {
    name: 'LangGraph, PostgreSQL',
    packages: ['@langchain/langgraph', '@langchain/langgraph-api', '@langchain/langgraph-checkpoint-postgres'],
    server: 'langgraph-server.js',
    database: 'langgraph',
    protocol: langgraph,
    keeps: 'a checkpoint in PostgreSQL for each step; runs and their queue in memory',
  },
  {
    name: 'LangGraph API, in memory',
    packages: ['@langchain/langgraph', '@langchain/langgraph-api'],
    server: 'langgraph-server.js',
    protocol: langgraph,
    keeps: 'nothing that a crash leaves: a file is written now and then',
  },
]
