/**
 * PARAPHRASE: what strangers wrote in the session reaches the planner in other words alone. One call for those of the
 * context window that have not been retold yet; what it says is kept with the messages, so each is retold once. When
 * the call fails, they are left out of the context and the turn goes on. Called by assembleContext, before anything
 * else.
 */
import type { PlannerContext } from '../../agents/agent.ts'
import { describeError } from '../../core/operator-failure.ts'
import { loadParaphrases, type StrangersMessage } from '../../store/turn/strangers-messages.ts'
import type { TurnContext } from '../turn-context.ts'

/** Of all messages of strangers together; the newest count first. */
const MAX_CHARS = 24_000

type Paraphrased = PlannerContext['paraphrased']

type ParaphraseMessagesContext = Pick<TurnContext, 'turn' | 'journal' | 'signal' | 'agents' | 'database' | 'logger'>

/** `again`: the turn has asked before; what that brought is read, and nothing is asked. */
export async function paraphraseMessages(
  context: ParaphraseMessagesContext,
  { again }: { readonly again: boolean },
): Promise<Paraphrased> {
  const strangers = withinBudget(context.turn.saidBefore.strangers)
  if (strangers.length === 0) return []
  const open = strangers.filter((message) => message.paraphrase === null)
  const known = new Map(strangers.flatMap(({ id, paraphrase }) => (paraphrase === null ? [] : [[id, paraphrase]])))
  const fresh =
    open.length === 0 ? new Map<string, string>() : await (again ? readAgain(context, open) : retell(context, open))
  return strangers.flatMap(({ id, sender, at }) => {
    const text = known.get(id) ?? fresh.get(id)
    return text === undefined ? [] : [{ sender, at, text }]
  })
}

/** The newest messages that fit, oldest first. */
function withinBudget(messages: readonly StrangersMessage[]): readonly StrangersMessage[] {
  let chars = 0
  const from = messages.findLastIndex(
    ({ content, paraphrase }) => (chars += (paraphrase ?? content ?? '').length) > MAX_CHARS,
  )
  return messages.slice(from + 1)
}

async function readAgain(
  { database }: Pick<TurnContext, 'database'>,
  open: readonly StrangersMessage[],
): Promise<Map<string, string>> {
  return loadParaphrases(
    database,
    open.map(({ id }) => id),
  )
}

async function retell(
  context: Pick<TurnContext, 'turn' | 'journal' | 'signal' | 'agents' | 'logger'>,
  open: readonly StrangersMessage[],
): Promise<Map<string, string>> {
  const { turn, agents, journal, logger, signal } = context
  const { provider, model } = agents.modelOf('paraphraser')
  journal.record([{ type: 'PipelineStep', step: 'PARAPHRASE', detail: `${provider}:${model}` }])
  const messages = open.map(({ id, sender, content }) => ({ id, sender, content: content ?? '' }))
  const answer = await agents.paraphrase({ messages }, signal)
  if (answer.kind === 'answered') {
    const messageTexts = answer.output.map(({ id, text }) => ({ id, paraphrase: text }))
    journal.record([], { modelCalls: answer.calls, messageTexts })
    return new Map(answer.output.map(({ id, text }) => [id, text]))
  }
  const count = open.length === 1 ? 'A message' : `${open.length} messages`
  const detail = `${count} of people who are not known here could not be retold and will not be considered. ${describeError(answer.error, turn.id)}`
  journal.record(signal.aborted ? [] : [{ type: 'PipelineStep', step: 'PARAPHRASE', detail }], {
    modelCalls: answer.calls,
  })
  if (!signal.aborted)
    logger.warn({ code: answer.error.code, error: answer.error.message, messages: open.length }, detail)
  return new Map()
}
