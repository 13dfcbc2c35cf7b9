/**
 * Who changes who may see what: people join and leave, some become admins and users again, some lose their token for a
 * while. Every change is entered in the ledger: before it is asked for when it lets a user in, after it is certain
 * when it does not.
 */
import { rename, writeFile } from 'node:fs/promises'
import type { SeededRandom } from '../harness/seeded-random.ts'
import { AddParticipantDocument, RemoveParticipantDocument } from '../generated/graphql.ts'
import { ROOT, soakToml, type Person, type State } from './soak-config.ts'
import { ask, pause, type SoakSession, type World } from './world.ts'

/** In a session on average. */
const MEMBERS = 5
const RETRY_MS = 100

export class Director {
  readonly #world: World
  readonly #random: SeededRandom
  readonly #configPath: string
  readonly #states = new Map<string, State>()

  constructor(world: World, { random, configPath }: { readonly random: SeededRandom; readonly configPath: string }) {
    this.#world = world
    this.#random = random
    this.#configPath = configPath
  }

  /** A user joins or leaves, again and again. Rejects when there is no server to be had. */
  async move(signal: AbortSignal, everyMs: number): Promise<void> {
    const { sessions, people, ledger } = this.#world
    while (!signal.aborted) {
      const session = this.#random.pick(sessions)
      const members = people.filter(({ name }) => ledger.isIn(name, session.index))
      const wantsIn = this.#random.chance(MEMBERS / (MEMBERS + members.length))
      // Only who is let in at present: their place in the ledger is the other's business.
      const free = people.filter((person) => this.#states.get(person.name) !== 'GONE' && !members.includes(person))
      if (wantsIn && free.length > 0) await this.#join(session, this.#random.pick(free))
      else if (members.length > 1) await this.#leave(session, this.#random.pick(members), signal)
      await pause(this.#random.between(0, 2 * everyMs))
    }
  }

  /** A user's role changes, or their token goes or comes back, again and again. */
  async change(signal: AbortSignal, everyMs: number): Promise<void> {
    const changing = this.#world.people.filter(({ changes }) => changes)
    while (!signal.aborted) {
      await pause(this.#random.between(everyMs / 2, everyMs))
      await this.#become(this.#random.pick(changing), this.#random.pick(['USER', 'ADMIN', 'GONE']))
    }
  }

  async #join({ id: sessionId, index }: SoakSession, { name }: Person): Promise<void> {
    const { ledger, counts } = this.#world
    ledger.enter(name, performance.now(), index)
    const variables = { sessionId, user: name }
    const send = { what: 'addParticipant', send: (api: Api) => api.request(AddParticipantDocument, variables) }
    await ask(this.#world, this.#root(), send)
    counts.joins += 1
  }

  /** Asked for until it is certain. */
  async #leave(
    { id: sessionId, index }: SoakSession,
    { name, token, changes }: Person,
    signal: AbortSignal,
  ): Promise<void> {
    const { ledger, counts } = this.#world
    const variables = { sessionId, user: name }
    const send = { what: 'removeParticipant', send: (api: Api) => api.request(RemoveParticipantDocument, variables) }
    const byThemselves = !changes && this.#random.chance(0.3)
    const first = byThemselves ? { name, token, random: this.#random } : this.#root()
    for (let who = first; !signal.aborted; who = this.#root()) {
      const reply = await ask(this.#world, who, send)
      if (reply?.data?.removeParticipant.__typename === 'RemoveParticipantPayload') {
        ledger.leave(name, performance.now(), index)
        counts.leaves += 1
        return
      }
      await pause(RETRY_MS)
    }
  }

  async #become({ name }: Person, state: State): Promise<void> {
    const { ledger, counts, people, rootToken, connectors, sessions } = this.#world
    const before = this.#states.get(name) ?? 'USER'
    if (state === before) return
    if (state === 'ADMIN') ledger.enter(name, performance.now())
    // Users who come back see what they saw: nobody has moved them meanwhile.
    if (before === 'GONE') for (const index of this.#kept.get(name) ?? []) ledger.enter(name, performance.now(), index)
    this.#states.set(name, state)
    await this.#configure(soakToml({ rootToken, people, states: this.#states, connectors }))
    counts.roles += 1
    if (state !== 'ADMIN') ledger.leave(name, performance.now())
    if (state !== 'GONE') return
    const own = sessions.filter(({ index }) => ledger.isIn(name, index)).map(({ index }) => index)
    this.#kept.set(name, own)
    for (const index of own) ledger.leave(name, performance.now(), index)
  }

  /** Where those take part whose token is gone. */
  readonly #kept = new Map<string, readonly number[]>()

  /** In one piece: a server that starts at this moment must not read half a file. */
  async #configure(toml: string): Promise<void> {
    const draft = `${this.#configPath}.new`
    await writeFile(draft, toml, { mode: 0o600 })
    await rename(draft, this.#configPath)
  }

  #root(): { name: string; token: string; random: SeededRandom } {
    return { name: ROOT, token: this.#world.rootToken, random: this.#random }
  }
}

type Api = Parameters<Parameters<typeof ask>[2]['send']>[0]
