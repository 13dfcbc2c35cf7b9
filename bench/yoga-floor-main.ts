/** The floor of (f): a bare yoga, which answers every request with the same page of messages from memory. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GraphQLSchema } from 'graphql'
import { createSchema, createYoga } from 'graphql-yoga'
import { serveParent } from './helper-process.ts'

export type MessageRow = Readonly<
  Record<'id' | 'content' | 'status' | 'role' | 'user', string> & { readonly createdAt: string }
>

const server = createServer()

async function serve(messages: readonly MessageRow[]): Promise<string> {
  const schema: GraphQLSchema = createSchema({
    typeDefs: `
      type Query { session(id: ID!): Session }
      type Session { messages(last: Int): Messages! }
      type Messages { edges: [Edge!]! }
      type Edge { node: Message! }
      type Message { id: ID! content: String! status: String! createdAt: String! role: String! user: String }`,
    resolvers: {
      Query: { session: () => ({}) },
      Session: { messages: () => ({ edges: messages.map((node) => ({ node })) }) },
    },
  })
  const yoga = createYoga({ schema, logging: false })
  server.on('request', (request, response) => void yoga(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const functions = { serve }
export type YogaFloorApi = typeof functions

serveParent(functions, async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
