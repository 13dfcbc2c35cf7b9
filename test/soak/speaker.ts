/** Those who take part say things in their sessions, themselves or through a connector; each text names its session. */
import type { SeededRandom } from '../harness/seeded-random.ts'
import { SendMessageDocument, type SendMessageInput } from '../generated/graphql.ts'
import { ask, pause, type SoakSession, type World } from './world.ts'

interface By {
  readonly name: string
  readonly token: string
  /** On whose behalf. */
  readonly member: string
  /** What a connector calls them. */
  readonly as: string | null
}

const STRANGER_CHANCE = 0.05
const CONNECTOR_CHANCE = 0.2

export class Speaker {
  readonly #world: World
  readonly #random: SeededRandom

  constructor(world: World, random: SeededRandom) {
    this.#world = world
    this.#random = random
  }

  /** Says one thing after another until `signal` aborts. */
  async speak(signal: AbortSignal, everyMs: number): Promise<void> {
    while (!signal.aborted) {
      await this.#say(this.#random.pick(this.#world.sessions))
      await pause(this.#random.between(0, 2 * everyMs))
    }
  }

  async #say(session: SoakSession): Promise<void> {
    const random = this.#random
    const by = this.#speakerIn(session)
    if (by === null) return
    const canary = this.#world.ledger.say(session.index, performance.now())
    const content = random.pick([
      `${canary} Hello.`,
      `${canary} How are you?`,
      `run: echo ${canary}\n${canary} What does it say?`,
      `run: echo ${canary} | tee said.txt\n${canary} And now?`,
    ])
    const input: SendMessageInput = { sessionId: session.id, content, ...(by.as === null ? {} : { user: by.as }) }
    const what = 'sendMessage'
    const who = { ...by, random }
    const reply = await ask(this.#world, who, {
      what,
      send: (client) => client.request(SendMessageDocument, { input }),
    })
    const result = reply?.data?.sendMessage
    if (result?.__typename !== 'SendMessagePayload') return
    this.#world.counts.sent += 1
    // Who posts takes part: perhaps they had just been taken out.
    this.#world.ledger.enter(by.member, performance.now(), session.index)
    session.inside.push(result.message.id)
  }

  /** A user who takes part, or a connector on behalf of a person, known or not; null when there is nobody. */
  #speakerIn({ index, prefix }: SoakSession): By | null {
    const { people, ledger, connectors } = this.#world
    const random = this.#random
    const members = people.filter(({ name, changes }) => !changes && ledger.isIn(name, index))
    if (members.length === 0) return null
    const { name, token } = random.pick(members)
    const connector = connectors.find((one) => one.prefix === prefix)
    if (connector === undefined || !random.chance(CONNECTOR_CHANCE)) return { name, token, member: name, as: null }
    const as = random.chance(STRANGER_CHANCE) ? 'nobody-knows' : `${name}@${prefix}`
    return { name: connector.name, token: connector.token, member: name, as }
  }
}
