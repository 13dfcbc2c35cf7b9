#!/usr/bin/env node
/**
 * A connector to Discord: each channel is a session, each author the user whom the alias of their id names. What the
 * agent says is posted into the channel; approvals are asked for as text. README.md says how to run it.
 *
 * What must hold: a message of Discord's is sent with its id as the idempotency key, and an event is posted with a
 * nonce made of its seq, so that whatever is repeated after a crash is there once; nothing that the agent writes
 * mentions a user.
 */
import { createHash } from 'node:crypto'
import { Client, GatewayDispatchEvents, GatewayIntentBits, type API, type APIMessage } from '@discordjs/core'
import { REST } from '@discordjs/rest'
import { WebSocketManager } from '@discordjs/ws'
import { connect, type FactotumClient, type SessionClient, type SessionEvent } from '@factotum/client'
import { isGone, isRefusal, keepTrying } from './keep-trying.ts'
import { Places } from './places.ts'
import { whatRuns } from './what-runs.ts'

const MAX_CHARACTERS = 2000
/** Discord gives no more messages at once. */
const PAGE_SIZE = 100
const DECISION = /^\s*(approve|deny)\s+([a-z0-9]{6})\b\s*([^]*)$/i

export interface ConnectorOptions {
  /** `token`: of a connector. `patienceMs`: as of `connect`. */
  readonly factotum: { readonly url: string; readonly token: string; readonly patienceMs?: number }
  /** `api`: where Discord is; left out, discord.com. */
  readonly discord: { readonly token: string; readonly api?: string }
  /** Where it keeps how far each channel has come. */
  readonly file: string
}

type Heard = Pick<APIMessage, 'id' | 'channel_id' | 'content' | 'author'>

export class Connector {
  readonly #factotum: FactotumClient
  readonly #gateway: WebSocketManager
  readonly #discord: API
  readonly #places: Places
  readonly #followed = new Set<string>()
  /** By channel: messages are sent in their order, one after another. */
  readonly #queues = new Map<string, Promise<void>>()
  readonly #stopped = new AbortController()

  constructor({ factotum, discord, file }: ConnectorOptions) {
    this.#factotum = connect(factotum)
    const { token, api } = discord
    const rest = new REST(api === undefined ? {} : { api }).setToken(token)
    const intents =
      GatewayIntentBits.GuildMessages | GatewayIntentBits.DirectMessages | GatewayIntentBits.MessageContent
    this.#gateway = new WebSocketManager({ token, intents, rest })
    this.#places = new Places(file)
    const client = new Client({ rest, gateway: this.#gateway })
    this.#discord = client.api
    client.on(GatewayDispatchEvents.MessageCreate, ({ data }) => this.#queue(data.channel_id, () => this.#take(data)))
    // Comes before every message, so that what was missed is sent before what is written now.
    client.on(GatewayDispatchEvents.Ready, () => {
      for (const channel of this.#places.channels) this.#queue(channel, () => this.#catchUp(channel))
    })
  }

  /** Resolves when Discord has let it in. */
  async start(): Promise<void> {
    for (const channel of this.#places.channels) this.#follow(channel)
    await this.#gateway.connect()
  }

  /** What is under way is given up: it is done again at the next start. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#gateway.destroy()
    this.#factotum.close()
    await Promise.all(this.#queues.values())
  }

  #queue(channel: string, work: () => Promise<void>): void {
    const before = this.#queues.get(channel) ?? Promise.resolve()
    const done = before.then(work).catch((error: unknown) => {
      if (!this.#stopped.signal.aborted) console.error(`channel ${channel}`, error)
    })
    this.#queues.set(channel, done)
  }

  /** What was written while the connector was away. */
  async #catchUp(channel: string): Promise<void> {
    for (let after: string | undefined = this.#places.of(channel).heard; after !== undefined;) {
      let missed: APIMessage[] = []
      const query = { after, limit: PAGE_SIZE }
      // Newest first, of those that follow.
      const read = async (): Promise<void> => {
        missed = await this.#discord.channels.getMessages(channel, query)
      }
      await keepTrying(read, { signal: this.#stopped.signal, isFinal: isRefusal })
      for (const message of missed.toReversed()) await this.#take(message)
      after = missed.length < PAGE_SIZE ? undefined : missed[0]?.id
    }
  }

  /** A message that is refused is left behind; one that cannot be sent for now holds up those after it. */
  async #take(message: Heard): Promise<void> {
    const { id, author, content, channel_id: channel } = message
    if (author.bot === true || content === '' || BigInt(id) <= BigInt(this.#places.of(channel).heard)) return
    try {
      await keepTrying(() => this.#hear(message), { signal: this.#stopped.signal, isFinal: isRefusal })
    } catch (error) {
      if (this.#stopped.signal.aborted) throw error
      console.error(`message ${id} of channel ${channel} was left behind`, error)
    }
  }

  async #hear({ id, channel_id: channel, content, author }: Heard): Promise<void> {
    const session = this.#sessionOf(channel)
    const decision = DECISION.exec(content)
    if (decision !== null) await this.#decide(session, author.id, decision)
    else {
      const sent = await session.send(content, { user: author.id, idempotencyKey: id })
      if (sent.__typename !== 'SendMessagePayload') await this.#post(channel, sent.problem, id)
      else if (sent.linkedTo !== null) await this.#post(channel, `From now on you are ${sent.linkedTo.name} here.`, id)
      else if (sent.message.status === 'STORED') await this.#post(channel, whoIsThat(author.id), `who-${author.id}`)
    }
    this.#places.move(channel, { heard: id })
    this.#follow(channel)
  }

  async #decide(session: SessionClient, user: string, [, verb, code = '', note]: RegExpExecArray): Promise<void> {
    const channel = session.id.slice('discord:'.length)
    const approval = (await session.view())?.approvals.find(({ id }) => id.endsWith(code.toLowerCase()))
    if (approval === undefined) return this.#post(channel, `Nothing waits by the name ${code}.`, `${user}-${code}`)
    const options = note === undefined || note === '' ? { user } : { user, note }
    const approves = verb?.toLowerCase() === 'approve'
    const decided = await (approves ? session.approve(approval.id, options) : session.deny(approval.id, options))
    if (decided.__typename !== 'DecideApprovalPayload') await this.#post(channel, decided.problem, approval.id)
  }

  /** Once for each channel, until the connector stops or the session is gone. */
  #follow(channel: string): void {
    if (this.#followed.has(channel)) return
    this.#followed.add(channel)
    keepTrying(() => this.#say(channel), { signal: this.#stopped.signal, isFinal: isGone })
      .catch((error: unknown) => {
        if (!this.#stopped.signal.aborted) console.error(`channel ${channel} is not followed any more`, error)
      })
      .finally(() => this.#followed.delete(channel))
  }

  async #say(channel: string): Promise<void> {
    const after = this.#places.of(channel).posted
    for await (const event of this.#sessionOf(channel).events({ after })) {
      const text = textOf(event)
      if (text === null) continue
      await this.#post(channel, text, String(event.seq))
      this.#places.move(channel, { posted: event.seq })
    }
  }

  async #post(channel: string, text: string, about: string): Promise<void> {
    for (let at = 0, end = 0; at < text.length; at = end) {
      end = endOfPiece(text, at)
      const nonce = createHash('sha256').update(`${channel} ${about} ${at}`).digest('hex').slice(0, 24)
      const content = text.slice(at, end)
      const message = { content, nonce, enforce_nonce: true, allowed_mentions: { parse: [] } }
      await this.#discord.channels.createMessage(channel, message)
    }
  }

  #sessionOf(channel: string): SessionClient {
    return this.#factotum.session(`discord:${channel}`)
  }
}

/** Null: nothing that the channel has to read. Why a turn failed is a text, too. */
function textOf(event: SessionEvent): string | null {
  if (event.__typename === 'TextCompletedEvent') return event.content
  if (event.__typename === 'MessageReceivedEvent') return event.message.role === 'SYSTEM' ? event.message.content : null
  if (event.__typename !== 'ApprovalEvent' || event.approval.approvalStatus !== 'PENDING') return null
  const { id, approvalReason } = event.approval
  const code = id.slice(-6)
  const what = whatRuns(event.approval).replaceAll('```', "'''")
  return `${approvalReason}\n\`\`\`\n${what}\n\`\`\`\nAnswer "approve ${code}", or "deny ${code}" and why.`
}

/** Half of an emoji is no character: it would be lost, or the piece refused. */
function endOfPiece(text: string, at: number): number {
  const end = at + MAX_CHARACTERS
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(end - 1, end + 1)) ? end - 1 : end
}

function whoIsThat(id: string): string {
  return `I keep this, but act only for people I know: an administrator can make ${id} an alias of theirs.`
}

async function main(): Promise<void> {
  const { FACTOTUM_URL: url = 'http://127.0.0.1:4000', FACTOTUM_TOKEN = '', DISCORD_TOKEN = '' } = process.env
  const file = process.env['STATE_FILE'] ?? 'discord-connector.json'
  const connector = new Connector({ factotum: { url, token: FACTOTUM_TOKEN }, discord: { token: DISCORD_TOKEN }, file })
  await connector.start()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void connector.stop())
}

if (import.meta.main) await main()
