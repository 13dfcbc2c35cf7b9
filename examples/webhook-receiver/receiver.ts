#!/usr/bin/env node
/**
 * A receiver of Factotum's webhook posts. It refuses what is not signed with our secret or is older than five minutes,
 * takes each text once however often it comes, and asks for what it missed, because posts are given up after nine
 * attempts. README.md says how to run it; `onText` is where your own code goes.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

/** A text of the agent. */
export interface AgentText {
  readonly session: string
  /** The same for every post of this text, and when it is polled. */
  readonly taskId: string
  readonly content: string
  /** The answer; other texts are notices on the way to it. */
  readonly final: boolean
}

/** What a post holds. */
interface Post {
  readonly session: string
  readonly task_id: string
  readonly type: 'msg'
  readonly content: string
  readonly final: boolean
}

const MAX_REMEMBERED = 10_000

/** Hands each text on once. A text whose handling fails is not taken as handled: it comes again. */
export class Inbox {
  readonly #onText: (received: AgentText) => Promise<void>
  /** A real receiver keeps this in its database, in the same transaction as what it does with the text. */
  readonly #taken = new Map<string, Promise<void>>()

  constructor(onText: (received: AgentText) => Promise<void>) {
    this.#onText = onText
  }

  async take(received: AgentText): Promise<void> {
    const before = this.#taken.get(received.taskId)
    if (before !== undefined) return before
    const handling = this.#onText(received)
    this.#taken.set(received.taskId, handling)
    for (const oldest of this.#taken.keys()) if (this.#taken.size > MAX_REMEMBERED) this.#taken.delete(oldest)
    try {
      await handling
    } catch (error) {
      this.#taken.delete(received.taskId)
      throw error
    }
  }
}

/** `secrets`: two while you replace one by the other. */
export function createReceiver(secrets: readonly string[], inbox: Inbox): Server {
  return createServer((request, response) => {
    receive(request, secrets, inbox).then(
      (status) => response.writeHead(status).end(),
      (error: unknown) => {
        const isRefused = error instanceof WebhookVerificationError
        console.error(isRefused ? `refused: ${error.message}` : error)
        response.writeHead(isRefused ? 401 : 500).end()
      },
    )
  })
}

/** Any 2xx means "I have it", and it is not posted again. */
async function receive(request: IncomingMessage, secrets: readonly string[], inbox: Inbox): Promise<number> {
  if (request.method !== 'POST') return 405
  const body = await text(request)
  const post = verify(secrets, body, request.headers as Record<string, string>)
  const { session, task_id: taskId, content, final } = post
  await inbox.take({ session, taskId, content, final })
  return 204
}

/** Throws WebhookVerificationError. Verify the body as it came, not as parsed and printed again. */
function verify(secrets: readonly string[], body: string, headers: Record<string, string>): Post {
  let failure: unknown = new WebhookVerificationError('no secret is configured')
  for (const secret of secrets) {
    try {
      return new Webhook(secret).verify(body, headers) as Post
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** Where to ask for what was missed. */
export interface Source {
  /** Such as "http://127.0.0.1:4000/graphql". */
  readonly url: string
  readonly token: string
  readonly session: string
}

const EVENTS = `query ($session: ID!, $after: String!) {
  session(id: $session) {
    events(after: $after, types: [TEXT_COMPLETED]) {
      edges { node { ... on TextCompletedEvent { taskId content final } } }
      pageInfo { endCursor }
    }
  }
}`

interface Events {
  readonly edges: readonly { readonly node: { taskId: string; content: string; final: boolean } }[]
  /** The seq from which to go on; null: there was nothing. */
  readonly pageInfo: { readonly endCursor: string | null }
}

/** Takes the texts in the session's log after the event `after`, and returns the seq to go on from. */
export async function poll({ url, token, session }: Source, after: number, inbox: Inbox): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: EVENTS, variables: { session, after: String(after) } }),
  })
  if (!response.ok) throw new Error(`the server answered ${response.status}`)
  const { data } = (await response.json()) as { data?: { session: { events: Events } | null } | null }
  const events = data?.session?.events
  for (const { node } of events?.edges ?? []) await inbox.take({ session, ...node })
  return Number(events?.pageInfo.endCursor ?? after)
}

async function main(): Promise<void> {
  const { WEBHOOK_SECRET = '', PORT = '8080', FACTOTUM_URL, FACTOTUM_TOKEN, FACTOTUM_SESSION } = process.env
  const inbox = new Inbox(async ({ session, content, final }) => {
    console.log(`${session}${final ? '' : ' (on the way)'}: ${content}`)
  })
  const secrets = WEBHOOK_SECRET.split(' ').filter((secret) => secret !== '')
  createReceiver(secrets, inbox).listen(Number(PORT), () => console.log(`receiving on port ${PORT}`))
  if (FACTOTUM_URL === undefined || FACTOTUM_TOKEN === undefined || FACTOTUM_SESSION === undefined) return
  const source = { url: FACTOTUM_URL, token: FACTOTUM_TOKEN, session: FACTOTUM_SESSION }
  for (let seq = 0; ; await sleep(30_000)) {
    seq = await poll(source, seq, inbox).catch((error: unknown) => {
      console.error(error)
      return seq
    })
  }
}

if (import.meta.main) await main()
