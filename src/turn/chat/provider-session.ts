/**
 * The part of a conversation that its provider keeps (`api = "responses"`): what is asked next then need not hold it.
 * A process that takes the turn over goes on from the same, since it is stored with the answer.
 */
import type { CurrentUser } from '../../config/access/current-user.ts'
import type { KeptConversation } from '../../agents/agent.ts'
import type { ModelCallRecord } from '../../core/model-call.ts'
import type { ProviderState, TurnWrite } from '../../core/turn-write.ts'
import type { ConversationAnswer } from '../../model/conversation/conversation.ts'
import { readProviderState } from '../../store/turn/provider-state.ts'
import type { TurnContext } from '../turn-context.ts'

type Context = Pick<TurnContext, 'sessionId' | 'turn' | 'dialogue' | 'agents' | 'config' | 'database'>

export interface StoredAnswer {
  readonly output: Pick<ConversationAnswer, 'responseId' | 'calls'>
  readonly calls: readonly ModelCallRecord[]
  readonly round: number
  readonly user: CurrentUser
  /** Something was taken out of what the model was shown. */
  readonly isCensored: boolean
}

export class ProviderSession {
  readonly #context: Context
  #state: ProviderState | null | undefined

  constructor(context: Context) {
    this.#context = context
  }

  /** What the next answer may go on from, for this user; null: nothing. `rounds`: how many this turn has had. */
  async kept(user: CurrentUser, rounds: number): Promise<KeptConversation | null> {
    const { agents, config, database, sessionId, turn, dialogue } = this.#context
    const { provider } = agents.modelOf('assistant')
    if (config.current().providers.get(provider)?.api !== 'responses') return null
    this.#state ??= await readProviderState(database, sessionId)
    const state = this.#state
    if (state === null || state.userName !== user.name || state.role !== user.role) return null
    const { model, responseId, turnId, round, isOpen } = state
    const kept = { provider: state.provider, model, responseId }
    if (turnId === turn.id) return round > rounds ? null : { ...kept, round, exchangesSince: 0 }
    const exchange = dialogue.exchanges.findLastIndex((one) => one.turnId === turnId)
    // An answer that asked for tools was never told what they said.
    if (isOpen || exchange < 0) return null
    return { ...kept, round: null, exchangesSince: dialogue.exchanges.length - 1 - exchange }
  }

  /** To be stored with the answer. */
  changesOf({ output, calls, round, user, isCensored }: StoredAnswer): Pick<TurnWrite, 'providerState'> {
    const last = calls.at(-1)
    if (output.responseId === null || last === undefined) return {}
    const { provider, model } = last
    const { responseId } = output
    const { id: turnId } = this.#context.turn
    const isOpen = output.calls.length > 0
    const { name: userName, role } = user
    // What was taken out is still in what the provider keeps.
    const providerState = isCensored ? null : { provider, model, responseId, turnId, round, isOpen, userName, role }
    this.#state = providerState
    return { providerState }
  }
}
