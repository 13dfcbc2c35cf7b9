/**
 * (k) Lists and counters over HTTP at 100 000 sessions with 50 participants each, for everybody who sees them by
 * another rule: an admin, users in all, ten, and a thousand old sessions, connectors confined to many and to few.
 */
import { median, percentile, show } from './figures.ts'
import { JsonClient } from './json-client.ts'
import { measureLiveList } from './live-list.ts'
import { fillManySessions, PARTICIPANTS, TOKENS } from './many-sessions.ts'
import { TOKEN, type Stage } from './stage.ts'
import type { Row } from './table.ts'

const WARM_UPS = 10

interface Case {
  readonly what: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

const SESSIONS = `query ($filter: SessionFilter, $after: String) { sessions(first: 50, filter: $filter, after: $after) {
  edges { cursor node { id description status source { kind } messageCount turnCount queueLength lastMessagePreview lastActivityAt lastSeq } }
  pageInfo { hasNextPage endCursor } } }`
const APPROVALS = `query ($filter: ApprovalFilter) { approvals(first: 50, filter: $filter) {
  edges { node { id status kind reason expiresAt session { id description } task { detail } } } pageInfo { endCursor } } }`
const TASKS = `query ($filter: TaskFilter) { tasks(first: 50, filter: $filter) {
  edges { node { id type detail status } } pageInfo { endCursor } } }`
/** What a page about a session shows at first. */
const PAGE = `query ($id: ID!) { session(id: $id) { id description status messageCount turnCount queueLength lastSeq
  participants { name role } activeTurn { id status } approvals(status: [PENDING]) { id reason } questions { id content } usage { calls cost { amount } }
  messages(last: 50) { edges { node { id content } } } } }`
const VIEW = `query ($id: ID!) { session(id: $id) { view { version status queueLength queue { message { id } } approvals { id } questions { id } usage { calls cost { amount } } } } }`
const COUNTERS = `{ server { nodes queuedTurns runningTurns } }`

const LISTS: readonly Case[] = [
  { what: 'sessions', query: SESSIONS },
  sessions('INACTIVE too', { includeInactive: true }),
  ...['IDLE', 'INACTIVE', 'RUNNING', 'AWAITING_APPROVAL'].map((status) => sessions(status, { status: [status] })),
  ...['web', 'rare', 'none'].map((kind) => sessions(`of kind "${kind}"`, { sourceKind: [kind] })),
  sessions('GROUP', { conversationType: 'GROUP' }),
  ...['eve', 'sam', 'bob', 'p7', 'nobody'].map((name) => sessions(`with ${name}`, { participant: name })),
  ...['session', 'needle', 'nowhere', 'zq'].map((search) => sessions(`with "${search}"`, { search })),
  sessions('old, of sam, with "needle"', { participant: 'sam', status: ['AWAITING_APPROVAL'], search: 'needle' }),
  { what: 'approvals', query: APPROVALS },
  { what: 'approvals PENDING', query: APPROVALS, variables: { filter: { status: ['PENDING'] } } },
  { what: 'tasks', query: TASKS },
  { what: 'tasks AWAITING_APPROVAL', query: TASKS, variables: { filter: { status: ['AWAITING_APPROVAL'] } } },
  { what: 'server', query: COUNTERS },
]

function sessions(what: string, filter: Readonly<Record<string, unknown>>): Case {
  return { what: `sessions ${what}`, query: SESSIONS, variables: { filter } }
}

/** Who asks, and a session that they see. */
const VIEWERS = [
  { who: 'admin', token: TOKEN, id: 'many:1' },
  { who: 'user in all', token: TOKENS.everywhere, id: 'many:1' },
  { who: 'user in 10', token: TOKENS.seldom, id: null },
  { who: 'user in old ones', token: TOKENS.before, id: null },
  { who: 'connector, 99 %', token: TOKENS.wide, id: 'many:1' },
  { who: 'connector, 1 %', token: TOKENS.narrow, id: null },
]

export interface ListsSize {
  readonly sessions: number
  readonly requests: number
}

export async function measureLists(stage: Stage, { sessions: count, requests }: ListsSize): Promise<Row[]> {
  await fillManySessions(stage.databaseUrl, { sessions: count })
  return [...(await askForLists(stage, { requests })), await measureLiveList(stage, { changes: requests })]
}

interface ListsAsked {
  readonly requests: number
  /** Of each session. */
  readonly participants?: number
  /** One that the server gives up is a row without a figure. */
  readonly isLenient?: boolean
}

/** In a database that is filled. */
export async function askForLists(
  stage: Pick<Stage, 'url'>,
  { requests, participants = PARTICIPANTS, isLenient = false }: ListsAsked,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const { who, token, id } of VIEWERS) {
    const http = new JsonClient(token)
    const page =
      id === null
        ? []
        : [
            { what: `a session with ${participants} participants`, query: PAGE, variables: { id } },
            { what: "a session's view", query: VIEW, variables: { id } },
          ]
    for (const { what, ...body } of [...LISTS, ...page]) {
      const asked = timesOf(() => http.post(`${stage.url}/graphql`, body), requests)
      const times = await (isLenient ? asked.catch((): number[] => []) : asked)
      const note = times.length === 0 ? 'given up' : `p99 ${show(percentile(times, 0.99))} ms`
      rows.push({ what: `(k) ${what}, ${who}, ms`, value: show(median(times)), floor: '', ratio: '', note })
    }
    http.close()
  }
  return rows
}

async function timesOf(send: () => Promise<{ errors?: unknown }>, requests: number): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < requests + WARM_UPS; n += 1) {
    const beganMs = performance.now()
    const reply = await send()
    if (reply.errors !== undefined) throw new Error(JSON.stringify(reply))
    if (n >= WARM_UPS) times.push(performance.now() - beganMs)
  }
  return times
}
