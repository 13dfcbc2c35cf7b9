/**
 * A server that is taught by messages and whose models are stand-ins, on a database of its own: for what is measured
 * through the API. A message says what its reviews learn; the curator and the summarizer answer as they are told.
 */
import { must } from '../../src/platform/must.ts'
import type { Database } from '../../src/store/database.ts'
import * as api from '../../test/generated/graphql.ts'
import { converse, Story, type Conversation, type Person } from '../../test/harness/story.ts'
import { stubProvider } from '../../test/harness/stub-provider.ts'
import {
  answerWell,
  GOOD_INTROSPECTION,
  GOOD_PLAN,
  GOOD_REVIEW,
  shownLabels,
  shownLearnings,
} from '../../test/model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../../test/model/stub-endpoint.ts'

/** What the curator makes of a learning; `known`: what the fact says that it is about. */
export type Verdict = (text: string) => {
  readonly verdict: string
  readonly fact?: string
  readonly question?: string
  readonly known?: string
}

/** What the summarizer makes of the facts with these labels and texts. */
export type Merge = (facts: readonly { readonly label: string; readonly text: string }[]) => readonly object[]

export const promoteAll: Verdict = (fact) => ({ verdict: 'promote', fact })
const keepAll: Merge = (facts) =>
  facts.map(({ label }) => ({ operation: 'keep', facts: [label], content: null, reason: null }))

/** Of one turn: as many as it keeps. */
const PER_TURN = 5

export class Taught implements AsyncDisposable {
  curator: Verdict = promoteAll
  summarizer: Merge = keepAll
  /** What a checkpoint learns. */
  noticed: readonly string[] = []
  readonly story: Story
  readonly database: Database
  readonly #stub: StubEndpoint
  #learned: string[] = []

  private constructor(parts: { readonly story: Story; readonly stub: StubEndpoint; readonly database: Database }) {
    this.story = parts.story
    this.database = parts.database
    this.#stub = parts.stub
    this.#stub.follow({ by: (call) => this.#answer(call) })
  }

  /** `database`: the server's, for what no frontend asks. */
  static async begin(databaseUrl: string, database: Database): Promise<Taught> {
    const stub = await StubEndpoint.start({ by: answerWell })
    const settings = { max_running_per_user: 8 }
    const story = await Story.begin({ databaseUrl, config: { settings, toml: stubProvider(stub) } })
    return new Taught({ story, stub, database })
  }

  /** Turns that learn these texts, each of at most five; what the last one was. */
  async teach(person: Person, sessionId: string, texts: readonly string[]): Promise<Conversation> {
    for (let from = PER_TURN; from < texts.length; from += PER_TURN)
      await this.#turn(person, sessionId, texts.slice(from - PER_TURN, from))
    return this.#turn(person, sessionId, texts.slice(-(texts.length % PER_TURN || PER_TURN)))
  }

  /** A turn that learns nothing. */
  say(person: Person, sessionId: string, content: string): Promise<Conversation> {
    this.#learned = []
    return converse(this.story.as(person), sessionId, content)
  }

  /** Of a session, newest first. */
  async learnings(sessionId: string, filter: api.LearningFilter = {}) {
    const asked = { first: 100, filter: { sessionId, ...filter } }
    const { learnings } = await this.story.as('ada').run(api.LearningsDocument, asked)
    return learnings.edges.map(({ node }) => node)
  }

  /** How many of these texts are facts in use. */
  async countFacts(texts: readonly string[]): Promise<number> {
    const asked = { text: 'SELECT id FROM facts WHERE content = ANY ($1) AND invalidated_at IS NULL', name: '' }
    return (await this.database.query(asked, [texts])).length
  }

  callsOf(role: StubCall['role']): number {
    return this.#stub.calls.filter((call) => call.role === role).length
  }

  /** The last prompt of this agent. */
  promptOf(role: StubCall['role']): string {
    return must(
      this.#stub.calls.findLast((call) => call.role === role),
      'it was asked',
    ).user
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.story[Symbol.asyncDispose]()
    await this.#stub.close()
  }

  #turn(person: Person, sessionId: string, texts: readonly string[]): Promise<Conversation> {
    this.#learned = [...texts]
    return converse(this.story.as(person), sessionId, 'What is there to know?')
  }

  #answer(call: StubCall): StubAnswer {
    switch (call.role) {
      case 'planner':
        return { content: this.#plan() }
      case 'reviewer':
        return { content: { ...GOOD_REVIEW, learn: this.#learned.shift() ?? null } }
      case 'introspector':
        return { content: { ...GOOD_INTROSPECTION, learnings: this.noticed } }
      case 'curator':
        return { content: { evaluations: this.#evaluate(call.user) } }
      case 'summarizer':
        return call.user.includes('\n# Facts to consolidate\n')
          ? { content: { operations: this.summarizer(factsIn(call.user)) } }
          : answerWell(call)
      default:
        return answerWell(call)
    }
  }

  /** A command for each text, whose review learns it. */
  #plan(): object {
    const [command, text] = GOOD_PLAN.tasks
    return { ...GOOD_PLAN, tasks: [...this.#learned.map(() => command), text] }
  }

  #evaluate(prompt: string): object[] {
    const labels = new Map(factsIn(prompt).map(({ label, text }) => [text, label]))
    return shownLearnings(prompt).map(({ learningId, text }) => {
      const { known, ...said } = this.curator(text)
      const label = known === undefined ? null : (labels.get(known) ?? 'F0')
      return { learningId, fact: null, question: null, reason: 'So it is.', ...said, known: label }
    })
  }
}

function factsIn(prompt: string): { readonly label: string; readonly text: string }[] {
  return shownLabels(prompt, 'F').map((label) => {
    return { label, text: new RegExp(`^${label}: (.*)$`, 'm').exec(prompt)?.[1] ?? '' }
  })
}
