/**
 * A user who tries what they may not: lists with every filter, sessions and what is in them by id, under each name
 * the API has for them, and changes to sessions of others. What comes back is judged; a change that is accepted is a
 * finding.
 */
import type { SeededRandom } from '../harness/seeded-random.ts'
import { ask, pause, type SoakSession, type World } from './world.ts'

export interface ProberOptions {
  readonly world: World
  readonly name: string
  readonly token: string
  readonly random: SeededRandom
}

const SESSION = `id description status metadata lastMessagePreview messageCount source { kind } participants { name }
  activeTurn { id step message { content } } approvals { id reason task { detail } } questions { content } summary
  messages(last: 5) { edges { node { id content turn { id tasks { id detail output } } } } } conversation(last: 5) { edges { node { ... on PersonMessage { id content } ... on AgentText { id content } } } }
  events(first: 50) { edges { node { seq
    ... on MessageReceivedEvent { message { content } } ... on TextCompletedEvent { content } ... on TaskUpdateEvent { task { detail output } } } } }`
const SESSIONS = `query ($filter: SessionFilter, $first: Int) { sessions(first: $first, filter: $filter) { edges { node {
  id description lastMessagePreview metadata participants { name } } } pageInfo { endCursor } } }`
const TASKS = `query ($filter: TaskFilter) { tasks(first: 50, filter: $filter) { edges { node { id detail output turn { message { content } } } } } }`
const APPROVALS = `query ($filter: ApprovalFilter) { approvals(first: 50, filter: $filter) { edges { node { id reason task { detail } session { description } } } } }`
const BY_ID = `query ($id: ID!) { node(id: $id) { id __typename ... on Session { ${SESSION} } ... on Message { content } ... on Turn { message { content } }
  ... on Task { detail output } ... on Approval { reason task { detail } session { description } } }
  message(id: $id) { content } turn(id: $id) { message { content } tasks { output } } task(id: $id) { detail output } }`

/** Tries to change a session; `…Payload` says that it worked. */
const CHANGES = [
  `mutation ($id: ID!, $me: String!) { sendMessage(input: { sessionId: $id, content: "Here I am", user: $me }) { __typename ... on Refusal { problem } } }`,
  `mutation ($id: ID!, $me: String!) { addParticipant(input: { sessionId: $id, user: $me }) { __typename ... on Refusal { problem } } }`,
  `mutation ($id: ID!, $me: String!) { removeParticipant(input: { sessionId: $id, user: $me }) { __typename ... on Refusal { problem } } }`,
  `mutation ($id: ID!) { updateSession(input: { id: $id, description: "mine" }) { __typename ... on Refusal { problem } } }`,
  `mutation ($id: ID!) { openSession(input: { id: $id, description: "mine" }) { __typename ... on OpenSessionPayload { session { description } } ... on Refusal { problem } } }`,
  `mutation ($id: ID!) { cancelTurn(input: { sessionId: $id }) { __typename ... on Refusal { problem } } }`,
  `mutation ($id: ID!) { deleteSession(input: { id: $id }) { __typename ... on Refusal { problem } } }`,
]

export class Prober {
  readonly #options: ProberOptions

  constructor(options: ProberOptions) {
    this.#options = options
  }

  /** Tries one thing after another until `signal` aborts, `everyMs` apart on average. */
  async probe(signal: AbortSignal, everyMs: number): Promise<void> {
    const { world, random } = this.#options
    while (!signal.aborted) {
      world.counts.probes += 1
      const session = random.pick(world.sessions)
      if (random.chance(0.2)) await this.#change(session)
      else await this.#look(session)
      await pause(random.between(0, 2 * everyMs))
    }
  }

  async #look(session: SoakSession): Promise<void> {
    const { world, random } = this.#options
    const inside = session.inside.length === 0 ? session.id : random.pick(session.inside)
    const [what, query, variables] = random.pick([
      ['sessions', SESSIONS, { first: 100 }],
      ['sessions(search)', SESSIONS, { first: 20, filter: { search: world.ledger.nameOf(session.index) } }],
      ['sessions(participant)', SESSIONS, { first: 50, filter: { participant: random.pick(world.people).name } }],
      [
        'sessions(sourceKind)',
        SESSIONS,
        { first: 50, filter: { sourceKind: [session.prefix], includeInactive: true } },
      ],
      ['sessions(status)', SESSIONS, { first: 50, filter: { status: ['RUNNING', 'AWAITING_APPROVAL'] } }],
      ['session', `query ($id: ID!) { session(id: $id) { ${SESSION} } }`, { id: session.id }],
      ['node(session)', BY_ID, { id: session.id }],
      ['node(inside)', BY_ID, { id: inside }],
      ['tasks', TASKS, {}],
      ['tasks(session)', TASKS, { filter: { sessionId: session.id } }],
      ['approvals', APPROVALS, {}],
      ['approvals(session)', APPROVALS, { filter: { sessionId: session.id } }],
      ['server', '{ server { queuedTurns runningTurns } schedules(first: 5) { edges { node { content } } } }', {}],
    ] as const)
    await ask(world, this.#options, { what, send: (client) => client.request(query, variables) })
  }

  /** Not where they may: what others have in there would be gone. */
  async #change(session: SoakSession): Promise<void> {
    const { world, name, random } = this.#options
    const { ledger, findings } = world
    const from = performance.now()
    if (ledger.mayHaveSeen(name, session.index, { from, to: from })) return
    const document = random.pick(CHANGES)
    const variables = { id: session.id, ...(document.includes('$me') ? { me: name } : {}) }
    const send = { what: document, send: (client: Client) => client.request<Changed, object>(document, variables) }
    const reply = await ask(world, this.#options, send)
    const result = Object.values(reply?.data ?? {})[0]
    const mayNow = ledger.mayHaveSeen(name, session.index, { from, to: performance.now() })
    if (result?.__typename.endsWith('Payload') === true && !mayNow)
      findings.push(`${name} changed ${session.id}: ${document}`)
  }
}

type Client = Parameters<Parameters<typeof ask>[2]['send']>[0]
type Changed = Readonly<Record<string, { readonly __typename: string }>>
