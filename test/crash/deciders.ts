/**
 * Two admins who decide about whatever waits for an approval, both at once and at any server. Some approvals they leave
 * alone, so that these expire. What they were told they had decided is kept for the judge.
 */
import { ApprovalsDocument, DecideApprovalsDocument, type DecideApprovalsMutation } from '../generated/graphql.ts'
import type { SeededRandom } from '../harness/seeded-random.ts'
import { StormClient } from './storm-client.ts'

export interface DecidersOptions {
  readonly people: readonly { readonly user: string; readonly token: string }[]
  /** Only approvals of sessions whose ids begin so. */
  readonly prefix: string
  readonly anyUrl: (random: SeededRandom) => Promise<string>
  readonly random: SeededRandom
}

/** A decision that some server said had been taken. */
export interface Decision {
  readonly approvalId: string
  readonly user: string
  readonly status: string
}

interface Decider {
  readonly user: string
  readonly client: StormClient
  readonly random: SeededRandom
}

const APPROVE_CHANCE = 0.7
/** One in so many is left alone: by its id, so that both leave the same. */
const LEFT_EVERY = 4
const AT_ONCE = 50

export class Deciders {
  readonly accepted: Decision[] = []
  /** Approvals about which a user has tried to decide. */
  readonly tried = new Set<string>()
  readonly #options: DecidersOptions
  readonly #deciders: readonly Decider[]

  constructor(options: DecidersOptions) {
    this.#options = options
    this.#deciders = options.people.map(({ user, token }) => {
      const random = options.random.fork()
      const client = new StormClient({ name: user, token, anyUrl: options.anyUrl, random: random.fork() })
      return { user, client, random }
    })
  }

  get complaints(): readonly string[] {
    return this.#deciders.flatMap(({ client }) => client.complaints)
  }

  /** Decides until `signal` aborts. Rejects when there is no server to be had. */
  async decide(signal: AbortSignal): Promise<void> {
    await Promise.all(
      this.#deciders.map(async (decider) => {
        while (!signal.aborted) {
          await this.#decideOnce(decider)
          const { random } = decider
          await new Promise((resolve) => setTimeout(resolve, random.between(20, 200)))
        }
      }),
    )
  }

  async #decideOnce(decider: Decider): Promise<void> {
    const inputs = (await this.#waiting(decider)).map((id) => ({ id, approve: decider.random.chance(APPROVE_CHANCE) }))
    if (inputs.length === 0) return
    for (const { id } of inputs) this.tried.add(id)
    const reply = await decider.client.request((client) => client.request(DecideApprovalsDocument, { inputs }))
    if (reply === null) return
    if (reply.data === null) return void decider.client.isExpected('decideApprovals', reply)
    const { decideApprovals } = reply.data
    if (decideApprovals.__typename !== 'DecideApprovalsPayload') this.#note(decider, decideApprovals)
    else for (const result of decideApprovals.results) this.#note(decider, result)
  }

  #note({ user, client }: Decider, result: DecideResult): void {
    if (result.__typename === 'DecideApprovalPayload') {
      const { id: approvalId, approvalStatus: status } = result.approval
      this.accepted.push({ approvalId, user, status })
    } else if (result.__typename !== 'ConflictRefusal')
      client.complaints.push(`${user}: a decision was answered ${JSON.stringify(result)}`)
  }

  async #waiting({ client }: Decider): Promise<string[]> {
    const variables = { first: AT_ONCE, filter: { status: ['PENDING' as const] } }
    const reply = await client.request((api) => api.request(ApprovalsDocument, variables))
    if (reply === null) return []
    if (reply.data === null) {
      client.isExpected('approvals', reply)
      return []
    }
    const { edges } = reply.data.approvals
    return edges
      .filter(({ node }) => node.session.id.startsWith(this.#options.prefix) && !isLeft(node.id))
      .map(({ node }) => node.id)
  }
}

type Decided = DecideApprovalsMutation['decideApprovals']
type DecideResult =
  | Exclude<Decided, { __typename: 'DecideApprovalsPayload' }>
  | Extract<Decided, { __typename: 'DecideApprovalsPayload' }>['results'][number]

function isLeft(approvalId: string): boolean {
  return (approvalId.codePointAt(approvalId.length - 1) ?? 0) % LEFT_EVERY === 0
}
