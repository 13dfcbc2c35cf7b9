/**
 * The part of a conversation that its provider (`api = "responses"`) or a plugin's runtime keeps: what is asked next
 * need not hold it. A process that takes the session over goes on from the same, since it is stored with the answer; of
 * a runtime only its id is, so it is opened anew there. A turn that goes on after a wait or a takeover is sent as a
 * whole: its fences carry another token, and its facts have other labels, than what the model was shown before.
 */
import { isRuntime } from '../../config/models/model-choice.ts'
import type { CurrentUser } from '../../config/access/current-user.ts'
import type { KeptConversation } from '../../agents/agent.ts'
import type { Reach } from '../../core/knowledge/fact-scope.ts'
import type { ModelCallRecord } from '../../core/model-call.ts'
import type { ProviderState, TurnWrite } from '../../core/turn-write.ts'
import type { ConversationAnswer } from '../../model/conversation/conversation.ts'
import { reachOfTurn } from '../../knowledge/reach-of-turn.ts'
import type { TurnContext } from '../turn-context.ts'

type Context = Pick<TurnContext, 'sessionId' | 'turn' | 'dialogue' | 'agents' | 'config' | 'database' | 'runtime'>

/** An answer that is to be committed, and what was asked for it. */
export interface StoredAnswer {
  readonly output: Pick<ConversationAnswer, 'responseId' | 'calls'>
  readonly calls: readonly ModelCallRecord[]
  readonly round: number
  readonly user: CurrentUser
  /** Something was taken out of what the model was shown. */
  readonly isCensored: boolean
}

/** As of the turn's begin. */
interface Kept {
  readonly state: ProviderState | null
  /** Whose facts the turn's model may be shown. */
  readonly reach: Reach
}

/**
 * Of one turn. What it keeps is durable with the answers of the turn; where that is lost, all of the conversation is
 * sent again.
 */
export class ProviderSession {
  readonly #context: Context
  readonly #reach: Reach
  #state: ProviderState | null
  /** An answer was stored since the turn began, or goes on, here. */
  #hasAnswered = false

  private constructor(context: Context, { state, reach }: Kept) {
    this.#context = context
    this.#state = state
    this.#reach = reach
  }

  /** To be called before the turn's facts are chosen. Null: the provider keeps nothing. */
  static async open(context: Context): Promise<ProviderSession | null> {
    const { agents, config, database, sessionId, turn, runtime } = context
    const { provider } = agents.modelOf('assistant')
    if (!isRuntime(provider) && config.current().providers.get(provider)?.api !== 'responses') return null
    const { providerState, removals } = turn.saidBefore
    const stored = providerState !== null && (providerState.removals ?? 0) === removals ? providerState : null
    const reach = await reachOfTurn(database, config.current(), { sessionId, userName: turn.userName })
    // A runtime knows more than is stored, as long as it is the one whose id is stored.
    const isOpen = stored !== null && runtime.state?.responseId === stored.responseId
    return new ProviderSession(context, { state: isOpen ? runtime.state : stored, reach })
  }

  /** What the next answer may go on from, for this user; null: nothing. `rounds`: how many this turn has had. */
  kept(user: CurrentUser, rounds: number): KeptConversation | null {
    const { turn, dialogue } = this.#context
    const state = this.#state
    if (state === null || !this.#mayContinue(state, user)) return null
    const { provider, model, responseId, turnId, round, isOpen } = state
    const kept = { provider, model, responseId }
    if (turnId === turn.id) return !this.#hasAnswered || round > rounds ? null : { ...kept, round, exchangesSince: 0 }
    const exchange = dialogue.exchanges.findLastIndex((one) => one.turnId === turnId)
    // An answer that asked for tools was never followed by their results.
    if (isOpen || exchange < 0) return null
    return { ...kept, round: null, exchangesSince: dialogue.exchanges.length - 1 - exchange }
  }

  /** Nothing that the model was shown may be out of reach by now, such as what is one user's where others joined. */
  #mayContinue({ userName, role, reach }: ProviderState, user: CurrentUser): boolean {
    return userName === user.name && role === user.role && reach.every((scope) => this.#reach.includes(scope))
  }

  /** To be stored with the answer. */
  changesOf({ output, calls, round, user, isCensored }: StoredAnswer): Pick<TurnWrite, 'providerState'> {
    const last = calls.at(-1)
    if (output.responseId === null || last === undefined) return {}
    const { provider, model } = last
    const state = {
      provider,
      model,
      responseId: output.responseId,
      turnId: this.#context.turn.id,
      round,
      isOpen: output.calls.length > 0,
      userName: user.name,
      role: user.role,
      reach: this.#reach,
      removals: this.#context.turn.saidBefore.removals,
    }
    const before = this.#state
    // What was taken out is still in what the provider keeps.
    this.#state = isCensored ? null : state
    this.#hasAnswered = true
    if (!isRuntime(provider)) return { providerState: this.#state }
    this.#context.runtime.state = this.#state
    // Of a runtime the id is stored, which changes when another one is opened; the rest lives as long as it does.
    const isStored = this.#state !== null && before?.responseId === state.responseId
    return isStored ? {} : { providerState: this.#state }
  }
}
