/** Mastra's server as its guide for Hono has it: one agent with tools and memory, all of it in PostgreSQL. */
import { serve } from '@hono/node-server'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { createTool } from '@mastra/core/tools'
import { MastraServer } from '@mastra/hono'
import { Memory } from '@mastra/memory'
import { PostgresStore } from '@mastra/pg'
import { Hono } from 'hono'
import { databaseUrl, modelUrl, ready, runTool, systemPrompt, tools } from './work.js'

const agent = new Agent({
  id: 'agent',
  name: 'agent',
  instructions: systemPrompt,
  model: { id: 'stub/instant', url: modelUrl, apiKey: 'none' },
  tools: Object.fromEntries(
    tools.map(({ name, description, schema }) => [
      name,
      createTool({ id: name, description, inputSchema: schema, execute: (input) => runTool(name, input) }),
    ]),
  ),
  memory: new Memory(),
})
const storage = new PostgresStore({ id: 'store', connectionString: databaseUrl })
const mastra = new Mastra({ agents: { agent }, storage, logger: false })
const app = new Hono()
await new MastraServer({ app, mastra }).init()
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(`http://127.0.0.1:${port}`))
