/**
 * The stage on which everybody asks for everything: a server behind real HTTP with one session that holds an example of
 * each thing there is, and callers of every kind. Whatever is in that session says CANARY.
 */
import { randomHex } from '../../src/platform/random.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { ApiClient } from '../harness/api-client.ts'
import { addSkill } from '../harness/skills.ts'
import { Story, storyConfig, tokenOf, type StoryConfig } from '../harness/story.ts'
import type { Ids } from './documents-of-schema.ts'
import { seedExamples } from './seed-examples.ts'

/**
 * own: a user who takes part; other: one who does not; within, outside: connectors whose namespace the session is in
 * and is not; revoked: a token of an admin that is in the configuration no more.
 */
export const CALLERS = ['nobody', 'revoked', 'own', 'other', 'within', 'outside', 'admin'] as const
export type Caller = (typeof CALLERS)[number]

const REVOKED = 'revoked-token-for-the-story'
const OUTSIDE = 'outside-token-for-the-story'

/** A namespace that is a prefix of the other one's as a pattern, but not as a text. */
export const OUTSIDE_NAMESPACE = 'disc_rd'
const CONFIG: StoryConfig = {
  settings: { requests_per_minute: 100_000, currency: 'EUR' },
  toml: `[tokens.outside]
kind = "connector"
namespace = "${OUTSIDE_NAMESPACE}"
token = "${OUTSIDE}"
webhook_secret_env = "OUTSIDE_SECRET"
[budgets]
user_tokens_per_day = 1_000_000
user_cost_per_day = 100
`,
}

export interface Answer {
  readonly status: number
  readonly body: string
}

export class PeopleWorld implements AsyncDisposable {
  readonly story: Story
  readonly database: Database
  /** In every text of the session. */
  readonly canary: string
  readonly ids: Ids

  private constructor(story: Story, database: Database, { canary, ids }: { canary: string; ids: Ids }) {
    this.story = story
    this.database = database
    this.canary = canary
    this.ids = ids
  }

  static async begin(): Promise<PeopleWorld> {
    const revoked = `[tokens.revoked]\nkind = "user"\nuser = "ada"\ntoken = "${REVOKED}"\n`
    const story = await Story.begin({ config: { ...CONFIG, toml: `${CONFIG.toml}${revoked}` } })
    await story.reconfigure(storyConfig(CONFIG))
    addSkill(story.home, 'search', { files: { 'run.py': '' }, manifest: 'version = "1.0.0"' })
    addSkill(story.home, 'broken', { files: {}, manifest: 'version = "1.0.0"' })
    const logger = createLogger({ level: 'silent', pretty: false })
    const database = new Database({ url: story.databaseUrl, maxConnections: 2, logger })
    const canary = `cnry${randomHex(6)}`
    return new PeopleWorld(story, database, { canary, ids: await seedExamples(database, canary) })
  }

  as(caller: Caller): ApiClient {
    const tokens: Record<Caller, string | null> = {
      nobody: null,
      revoked: REVOKED,
      own: tokenOf('ben'),
      other: tokenOf('cleo'),
      within: tokenOf('discord'),
      outside: OUTSIDE,
      admin: tokenOf('ada'),
    }
    return new ApiClient(this.story.app.url, tokens[caller])
  }

  /** As it comes over the wire. A subscription: all until it ends. */
  async ask(caller: Caller, query: string): Promise<Answer> {
    const { token } = this.as(caller)
    const response = await fetch(`${this.story.app.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(query.startsWith('subscription') ? { accept: 'text/event-stream' } : {}),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query }),
    })
    return { status: response.status, body: await response.text() }
  }

  /** What an answer holds of the session that the question did not. */
  leaksIn(answer: string, question: string): string[] {
    // A user's id follows from the name, which the question may hold.
    const { user: _user, ...ids } = this.ids
    return [this.canary, ...Object.values(ids)].filter((text) => answer.includes(text) && !question.includes(text))
  }

  /** Changes with every row, but for what is noted about who was refused, and for signs of life. */
  async fingerprint(): Promise<string> {
    const tables = await this.database.query<{ name: string }>(
      {
        name: '',
        text: `SELECT format('%I', tablename) AS name FROM pg_tables WHERE schemaname = 'public'
        AND tablename NOT IN ('_prisma_migrations', 'nodes', 'audit_entries', 'audit_seals', 'checkpoint_state', 'token_uses') ORDER BY 1`,
      },
      [],
    )
    const sums = tables.map(
      ({ name }) =>
        `SELECT '${name}' AS name, md5(coalesce(string_agg(md5(t::text), '' ORDER BY md5(t::text)), '')) AS sum FROM ${name} t`,
    )
    const rows = await this.database.query({ name: '', text: sums.join(' UNION ALL ') }, [])
    return JSON.stringify(rows)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.database.close()
    await this.story[Symbol.asyncDispose]()
  }
}
