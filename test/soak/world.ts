/** What everybody in the soak shares: the sessions, what is known of them, and where findings go. */
import type { SeededRandom } from '../harness/seeded-random.ts'
import { ApiClient, type Reply } from '../harness/api-client.ts'
import type { Ledger } from './ledger.ts'
import type { Connector, Person, Prefix } from './soak-config.ts'

export interface SoakSession {
  readonly index: number
  readonly id: string
  readonly prefix: Prefix
  /** Ids of what is in it: messages, turns, tasks, approvals. */
  readonly inside: string[]
}

export interface World {
  readonly ledger: Ledger
  readonly sessions: readonly SoakSession[]
  readonly people: readonly Person[]
  readonly connectors: readonly Connector[]
  readonly rootToken: string
  readonly anyUrl: (random: SeededRandom) => Promise<string>
  readonly findings: string[]
  readonly counts: Record<'sent' | 'joins' | 'leaves' | 'roles' | 'probes' | 'frames' | 'seen', number>
}

/** What a person saw, and when. */
export interface Sight {
  readonly person: string
  readonly what: string
  readonly text: string
  readonly from: number
  readonly to: number
}

const REQUEST_TIMEOUT_MS = 10_000
const MAX_QUOTED = 300

/** Every canary in what they saw is of a session that they could see then. */
export function judgeSight({ ledger, findings, counts }: World, { person, what, text, from, to }: Sight): void {
  for (const canary of ledger.find(text)) {
    if (ledger.mayHaveSeen(person, canary.session, { from, to })) counts.seen += 1
    else findings.push(`${person} saw ${ledger.nameOf(canary.session)} by ${what}: ${text.slice(0, MAX_QUOTED)}`)
  }
}

/** What came so much later than it was sent may still be of then: a busy machine. */
const LAG_MS = 10_000

/** The same for what a subscription brings: they could see the session after it was said, and not long ago. */
export function judgeFrame({ ledger, findings, counts }: World, { person, what, text, to }: Omit<Sight, 'from'>): void {
  counts.frames += 1
  for (const canary of ledger.find(text)) {
    const since = [ledger.saidAt(canary), to - LAG_MS]
    if (since.every((from) => ledger.mayHaveSeen(person, canary.session, { from, to }))) counts.seen += 1
    else findings.push(`${person} saw ${ledger.nameOf(canary.session)} by ${what}: ${text.slice(0, MAX_QUOTED)}`)
  }
}

/** The answer of some server; null: there was none, because it was killed. What comes with it is judged. */
export async function ask<Data>(
  world: World,
  who: { readonly name: string; readonly token: string; readonly random: SeededRandom },
  { what, send }: { readonly what: string; readonly send: (client: ApiClient) => Promise<Reply<Data>> },
): Promise<Reply<Data> | null> {
  const client = new ApiClient(await world.anyUrl(who.random), who.token)
  const from = performance.now()
  const timeout = new Promise<null>((resolve) => setTimeout(() => resolve(null), REQUEST_TIMEOUT_MS).unref())
  const reply = await Promise.race([send(client).catch(() => null), timeout])
  if (reply !== null)
    judgeSight(world, { person: who.name, what, text: JSON.stringify(reply), from, to: performance.now() })
  return reply
}

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
