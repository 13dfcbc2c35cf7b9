/**
 * ANSWERING: one answer of the model, streamed as it is written. Its text becomes a MSG task, delivered when it is
 * whole, and each call a task that waits; the two are one commit. A text that was being written when a process died is
 * written again from the start, which repeats no effect.
 */
import type { Answer, AssistantContext, KnownContext, WrittenMessage } from '../../agents/agent.ts'
import { currentUser, type CurrentUser } from '../../config/access/current-user.ts'
import type { ConversationAnswer } from '../../model/conversation/conversation.ts'
import { withoutSilence } from '../../core/text/silence-filter.ts'
import type { CommandContext } from '../hooks/call-command.ts'
import { handleWritten } from '../hooks/model-commands.ts'
import { notifyAnswer } from '../hooks/notify-answer.ts'
import type { PlanState } from '../task/plan-state.ts'
import { begunBefore } from '../steps/write-message.ts'
import { unanswered } from '../steps/unanswered.ts'
import { whyGone } from '../tools/why-gone.ts'
import { isTakenAway, stopped, stoppedAfter, type Ending, type TaskContext, type TurnContext } from '../turn-context.ts'
import { callablesOf, readCall, type Callables } from './callables.ts'
import { isAnswered, roundsOf, shownRound } from './chat-rounds.ts'
import { Draft, type DraftCall, type DraftContext } from './draft.ts'
import { keepSecrets } from './keep-secret.ts'
import type { ProviderSession } from './provider-session.ts'

/** What a turn asks its model with, for all of its answers. */
export interface AnswerGround {
  readonly known: KnownContext
  /** Drawn once a turn (agents/assistant/context.ts). */
  readonly fenceToken: string
  /** Null: the provider keeps nothing. */
  readonly provider: ProviderSession | null
}

type AnswerContext = TaskContext &
  CommandContext &
  Pick<TurnContext, 'messages' | 'agents' | 'skills' | 'tools' | 'delegated' | 'database' | 'logger'>

/** Null: the answer is stored. */
export async function answer(
  context: AnswerContext,
  attempts: PlanState[],
  shown: AnswerGround,
): Promise<Ending | null> {
  const { agents, journal, signal, config, turn } = context
  const user = currentUser(config.current(), turn.userName)
  if (user === null) return { kind: 'Failed', failure: `The user ${turn.userName} is no longer in the configuration.` }
  const { provider, model } = agents.modelOf('assistant')
  journal.record([{ type: 'PipelineStep', step: 'ANSWERING', detail: `${provider}:${model}` }])
  const callables = callablesOf(context, user)
  const draft = await openDraft(context, attempts, shown.known)
  const reader = {
    onText: (delta: string) => draft.addText(delta),
    onThinking: (delta: string) => draft.addThought(delta),
  }
  const round = roundsOf(attempts.at(-1) ?? null).filter(isAnswered).length + 1
  const kept = shown.provider?.kept(user, round - 1) ?? null
  const asked = {
    context: assistantContext(context, attempts, { ...shown, callables, kept }),
    startedAt: turn.startedAt,
  }
  const answered = await agents.converse(asked, reader, signal).finally(() => draft.stop())
  if (isTakenAway(context)) return stoppedAfter(context, answered)
  if (signal.aborted) {
    draft.giveUp(answered.calls, null)
    return stopped(context)
  }
  return answered.kind === 'failed'
    ? fail(context, draft, answered)
    : await store(context, { draft, callables, user, round, provider: shown.provider }, answered)
}

/** The text that a process left unfinished is written on as the same task. */
async function openDraft(
  context: DraftContext & Pick<TurnContext, 'database'>,
  attempts: PlanState[],
  known: KnownContext,
): Promise<Draft> {
  const last = roundsOf(attempts.at(-1) ?? null).at(-1)
  if (last === undefined || isAnswered(last))
    return new Draft(context, { attempts, known, round: (last?.number ?? 0) + 1, left: null })
  const { text: task, number: round } = last
  const left = task === null ? null : { task, begun: await begunBefore(context, task) }
  return new Draft(context, { attempts, known, round, left })
}

/** What the model is shown besides the rows. */
interface PromptGround extends Pick<AnswerGround, 'known' | 'fenceToken'>, Pick<AssistantContext, 'kept'> {
  readonly callables: Callables
}

function assistantContext(
  { messages, secrets }: Pick<TurnContext, 'messages' | 'secrets'>,
  attempts: readonly PlanState[],
  { known, fenceToken, callables, kept }: PromptGround,
): AssistantContext {
  const {
    skills: _skills,
    maxTasks: _maxTasks,
    replan: _replan,
    additions: _additions,
    tools: _tools,
    ...shared
  } = known
  const collected = messages.joined.filter(({ attempt }) => attempt === 0)
  const rounds = roundsOf(attempts.at(-1) ?? null).filter(isAnswered)
  return {
    ...shared,
    additions: collected.map(({ content }) => ({ content, whilePlanRan: false })),
    secretNames: [...secrets.ephemeral().keys()].filter((name) => name !== ''),
    rounds: rounds.map((round) => shownRound(round, messages)),
    kept,
    fenceToken,
    tools: [...callables.values()].map(({ offer }) => offer),
  }
}

async function fail(
  context: AnswerContext,
  draft: Draft,
  { error, calls }: Extract<Answer<unknown>, { kind: 'failed' }>,
): Promise<Ending> {
  // What is asked again is thought again: these thoughts would stay without their end.
  const changes = { modelCalls: calls, dropDeltasOf: draft.thoughtPieces }
  const ending = await unanswered(context, error, { failure: 'The assistant could not answer.', changes })
  if (ending.kind === 'Failed') draft.giveUp(calls, ending.failure)
  return ending
}

interface Storing {
  readonly draft: Draft
  readonly callables: Callables
  readonly user: CurrentUser
  readonly round: number
  readonly provider: ProviderSession | null
}

async function store(
  context: AnswerContext,
  { draft, callables, user, round, provider }: Storing,
  { output, calls }: Extract<Answer<ConversationAnswer & WrittenMessage>, { kind: 'answered' }>,
): Promise<Ending | null> {
  const isCensored = keepSecrets(context, output.calls)
  const at = context.clock.now()
  const requested = output.calls.map((call): DraftCall => {
    const { problem, ...read } = readCall(callables, call, (name) => whyGone(context.tools, name, user))
    const failed = { status: 'FAILED', stderr: problem ?? '', finishedAt: at } as const
    return { ...read, callId: call.id, patch: problem === null ? {} : failed }
  })
  const spoken = withoutSilence(output.text)
  const isLast = requested.length === 0
  const text = spoken !== null && isLast ? await handleWritten(context, spoken) : spoken
  if (isTakenAway(context)) return stoppedAfter(context, { calls })
  draft.store(text, requested, {
    modelCalls: calls,
    factsUsed: output.factsUsed,
    ...provider?.changesOf({ output, calls, round, user, isCensored }),
  })
  notifyAnswer(context, {
    role: 'assistant',
    text: () => output.text,
    calls,
    steps: () => [
      ...(draft.thought === '' ? [] : [{ kind: 'THINKING', text: draft.thought }]),
      ...output.calls.map(({ name, written }) => ({ kind: 'CALL', text: `${name} ${written}` })),
    ],
  })
  return null
}
