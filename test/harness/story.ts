/**
 * The stage for a story: a whole server in this process, on a database of its own, behind real HTTP, with people who
 * hold tokens. Everything is reached the way a frontend reaches it. Use with `await using`: the end of the test stops
 * the server.
 */
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startApp, type App } from '../../src/app.ts'
import { resolveDatabase } from '../../src/store/connection/resolve-database.ts'
import { configPath } from '../../src/config/load-config.ts'
import type { Timing } from '../../src/config/timing.ts'
import { FEWEST_CONNECTIONS } from '../../src/config/process-connections.ts'
import type { SendResult, SessionEvent } from '../../packages/client/src/connect.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { LogLines } from '../../src/platform/log-lines.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { ApiClient, type Watch } from './api-client.ts'
import { createTestDatabase } from './database.ts'
import { createTemporaryHome } from './temporary-home.ts'
import {
  SessionUpdatesDocument,
  TurnDocument,
  type SessionUpdatesSubscription,
  type TurnQuery,
  type WatchSessionSubscription,
} from '../generated/graphql.ts'
import { STORY_TIMING } from './story-timing.ts'

/**
 * Who is in the story: Ada runs the place, Ben and Cleo are users, "discord" speaks for a chat platform, the bridge for
 * many.
 */
export const PEOPLE = ['ada', 'ben', 'cleo', 'bridge', 'discord'] as const
export type Person = (typeof PEOPLE)[number]

export function tokenOf(person: Person): string {
  return `${person}-token-for-the-story`
}

export interface StoryConfig {
  /** `[settings]` as in config.toml. */
  readonly settings?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** More lines of a user's token, such as `webhook_secret = "…"`. */
  readonly tokens?: Readonly<Partial<Record<Person, string>>>
  /** More TOML, such as `[providers.…]`. */
  readonly toml?: string
}

/**
 * The configuration of a story. Stories do not wait for running turns when they end, make no checkpoints, do not wait
 * for a provider that is away, and ask more in a minute than people do, unless they say so.
 */
export function storyConfig({ settings = {}, tokens: more = {}, toml = '' }: StoryConfig = {}): string {
  const users = `
[users.ada]
role = "admin"
[users.ben]
role = "user"
skills = []
aliases.discord = "Ben#1"
aliases.bridge = "ben-on-the-bridge"
[users.cleo]
role = "user"
skills = []
`
  const tokens = PEOPLE.map((person) => {
    const kind = person === 'bridge' || person === 'discord' ? 'connector' : 'user'
    const rest = kind === 'user' ? `user = "${person}"` : `namespace = "${person === 'discord' ? 'discord' : '*'}"`
    return `[tokens.${person}]\nkind = "${kind}"\ntoken = "${tokenOf(person)}"\n${rest}\n${more[person] ?? ''}\n`
  })
  const defaults = {
    drain_timeout: 0.1,
    introspection_turns: 0,
    introspection_idle: 0,
    provider_outage_wait: 0,
    requests_per_minute: 6000,
  }
  const lines = Object.entries({ ...defaults, ...settings }).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  return `${users}${tokens.join('')}[settings]\n${lines.join('\n')}\n${toml}`
}

export type SessionEventData = SessionEvent

export interface StoryOptions {
  readonly config?: StoryConfig
  /** Share the database and the home of another story: a second process, as far as the database can tell. */
  readonly beside?: Story
  readonly environment?: Readonly<Record<string, string>>
  /** Few, unless a story is about them: each costs a process, which is most of what a server costs to start. */
  readonly databaseConnections?: number
  /** A database of the test's own, which the server brings up to date. */
  readonly databaseUrl?: string
  /** How far the clock of the process is ahead of the real time. */
  readonly clockAheadMs?: number
  /** Only answers. */
  readonly paused?: boolean
  /** In place of parts of the process's clock. */
  readonly clock?: Partial<Clock>
  /** In place of some of a story's times. */
  readonly timing?: Partial<Timing>
  /** Gets every line of the log, of all levels. */
  readonly log?: (line: string) => void
}

export class Story implements AsyncDisposable {
  readonly app: App
  readonly home: string
  readonly databaseUrl: string
  readonly #cleanup: AsyncDisposableStack

  private constructor(app: App, place: { home: string; databaseUrl: string }, cleanup: AsyncDisposableStack) {
    this.app = app
    this.home = place.home
    this.databaseUrl = place.databaseUrl
    this.#cleanup = cleanup
  }

  static async begin(options: StoryOptions = {}): Promise<Story> {
    await using stack = new AsyncDisposableStack()
    const home = options.beside?.home ?? stack.use(await createTemporaryHome()).path
    const own = options.databaseUrl ?? options.beside?.databaseUrl
    const databaseUrl = own ?? stack.use(await createTestDatabase()).url
    if (options.beside === undefined) {
      await chmod(home, 0o711)
      await writeFile(configPath(home), storyConfig(options.config), { mode: 0o600 })
    }
    const logLines = new LogLines()
    const { log } = options
    const logger =
      log === undefined
        ? createLogger({ level: process.env['LOG_LEVEL'] ?? 'silent', pretty: true, lines: logLines })
        : createLogger({ level: 'trace', pretty: false, lines: logLines, to: { write: log } })
    const app = await startApp({
      home,
      databaseConnections: options.databaseConnections ?? FEWEST_CONNECTIONS,
      openDatabase: () => resolveDatabase(databaseUrl, { home, logger, clock: systemClock }),
      host: '127.0.0.1',
      port: 0,
      production: false,
      environment: options.environment ?? {},
      timing: { ...STORY_TIMING, ...options.timing },
      clock: { ...systemClock, now: () => new Date(Date.now() + (options.clockAheadMs ?? 0)), ...options.clock },
      logger,
      logLines,
      stopping: new AbortController().signal,
      paused: options.paused ?? false,
    })
    stack.defer(() => app.stop())
    return new Story(app, { home, databaseUrl }, stack.move())
  }

  as(person: Person): ApiClient {
    return new ApiClient(this.app.url, tokenOf(person))
  }

  /** Replaces config.toml and waits until it is the running one (or was refused). */
  async reconfigure(toml: string): Promise<void> {
    await writeFile(configPath(this.home), toml)
    await this.app.reloadConfig()
  }

  /** The same for as long as a test runs: a setting of its own costs no server of its own. */
  async reconfigureForNow(toml: string): Promise<AsyncDisposable> {
    const before = await readFile(configPath(this.home), 'utf8')
    await this.reconfigure(toml)
    return { [Symbol.asyncDispose]: () => this.reconfigure(before) }
  }

  /** What the session's commands leave behind. */
  path(...parts: string[]): string {
    return join(this.home, ...parts)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanup.disposeAsync()
  }
}

type Accepted = Extract<SendResult, { __typename: 'SendMessagePayload' }>

/** Sends a message that must be accepted. */
export async function send(client: ApiClient, sessionId: string, content: string): Promise<Accepted> {
  const sent = await client.session(sessionId).send(content)
  if (sent.__typename !== 'SendMessagePayload') throw new Error(`not accepted: ${JSON.stringify(sent)}`)
  return sent
}

/** Watches the whole log of a session from the start. */
export function watchAll(client: ApiClient, sessionId: string, after = 0): Watch<WatchSessionSubscription> {
  return client.follow(sessionId, after)
}

/** Follows the sessions that a person may see; what changes from now on is in it. */
export async function watchSessions(client: ApiClient): Promise<Watch<SessionUpdatesSubscription>> {
  const sessions = client.watch(SessionUpdatesDocument, {})
  await sessions.until(({ sessionUpdates }) => sessionUpdates.readList)
  return sessions
}

/** Waits until a turn has ended, and returns its last event. `nth`: the first turn that ends is 1. */
export async function turnEnd(
  watch: Watch<WatchSessionSubscription>,
  nth = 1,
): Promise<Extract<SessionEventData, { __typename: 'TurnCompletedEvent' }>> {
  let ended = 0
  const last = await watch.until(
    ({ sessionEvents }) => sessionEvents.__typename === 'TurnCompletedEvent' && ++ended === nth,
  )
  if (last.sessionEvents.__typename !== 'TurnCompletedEvent') throw new Error('not the end of a turn')
  return last.sessionEvents
}

/** The events of one type, as far as they have come. */
export function eventsOf<Name extends SessionEventData['__typename']>(
  watch: Watch<WatchSessionSubscription>,
  name: Name,
): Extract<SessionEventData, { __typename: Name }>[] {
  return watch.received.flatMap(({ sessionEvents }) =>
    sessionEvents.__typename === name ? [sessionEvents as Extract<SessionEventData, { __typename: Name }>] : [],
  )
}

/** The whole texts that the agent said, in order. */
export function answersIn(watch: Watch<WatchSessionSubscription>): string[] {
  return eventsOf(watch, 'TextCompletedEvent').map(({ content }) => content)
}

/**
 * Sends a message, waits for the end of its turn, and returns the turn as the API shows it, with what the agent said in
 * it.
 */
export async function converse(client: ApiClient, sessionId: string, content: string): Promise<Conversation> {
  const { message } = await send(client, sessionId, content)
  await using watch = watchAll(client, sessionId)
  const received = await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'MessageReceivedEvent' && event.message.id === message.id,
  )
  const { turnId } = received.sessionEvents
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnCompletedEvent' && event.turnId === turnId)
  const { turn } = await client.run(TurnDocument, { id: turnId ?? '' })
  if (turn == null) throw new Error('the turn is gone')
  const answers = eventsOf(watch, 'TextCompletedEvent').filter((event) => event.turnId === turnId)
  return { ...turn, answers: answers.map(({ content }) => content) }
}

export type Conversation = NonNullable<TurnQuery['turn']> & { readonly answers: readonly string[] }
