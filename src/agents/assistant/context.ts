/**
 * The conversation as the assistant is shown it: what was said before as it was said, then the newest message under
 * what the server adds to it, then what this turn has said and called so far. What must hold: from one answer to the
 * next of a turn the list only grows, so that the provider need not read its beginning again.
 */
import { SILENCE_MARKER } from '../../core/text/silence-filter.ts'
import type { Exchange } from '../../core/dialogue.ts'
import type { Moment } from '../../core/text/zoned-time.ts'
import type { ConversationMessage } from '../../model/conversation/conversation.ts'
import type { AssistantContext, AssistantRound, PlannerContext, TaskReport } from '../agent.ts'
import { openPrompt, type Fence } from '../prompt/fence.ts'
import {
  describeFacts,
  describePluginSections,
  describeQuestions,
  describeSummary,
  describeWorkingMemory,
} from '../prompt/knowledge-sections.ts'
import { nameUser } from '../prompt/name-sender.ts'
import { OUTPUT_CUT } from '../prompt/task-report.ts'
import { describeCaller, describeSecrets, describeStrangers } from '../planner/context.ts'
import { describeFiles } from '../planner/files-section.ts'
import { previewOutput, type PreviewLimit } from '../prompt/preview.ts'

/** Of one result of a tool, standard output and standard error each. */
const RESULT: PreviewLimit = { maxChars: 16_000 }

/** All that is said to the model. `fence` and `moment` are those of the turn: the same for each of its calls. */
export function renderConversation(context: AssistantContext, fence: Fence, moment: Moment): ConversationMessage[] {
  return [
    ...renderBefore(context, context.dialogue.exchanges),
    { by: 'user', text: renderNewest(context, fence, moment) },
    ...context.rounds.flatMap((round) => renderRound(round, context, fence)),
  ]
}

/** What the model has not been sent yet, where its provider keeps the conversation up to `kept`. */
export function renderSince(context: AssistantContext, fence: Fence, moment: Moment): ConversationMessage[] {
  const { kept, rounds, dialogue } = context
  if (kept === null) return renderConversation(context, fence, moment)
  if (kept.round === null) {
    const exchanges = dialogue.exchanges.slice(dialogue.exchanges.length - kept.exchangesSince)
    return renderConversation({ ...context, dialogue: { ...dialogue, exchanges } }, fence, moment)
  }
  const [answered, ...later] = rounds.slice(kept.round - 1)
  return [
    ...(answered === undefined ? [] : renderResults(answered, context, fence)),
    ...later.flatMap((round) => renderRound(round, context, fence)),
  ]
}

function renderBefore({ conversationType }: AssistantContext, exchanges: readonly Exchange[]): ConversationMessage[] {
  return exchanges.flatMap(({ messages, answers }): ConversationMessage[] => {
    const asked = messages.map(({ user, content }) =>
      conversationType === 'GROUP'
        ? `${user === null ? 'No name' : nameUser(user)} writes:\n${quoteLines(content)}`
        : content,
    )
    return [
      ...(asked.length === 0 ? [] : [{ by: 'user', text: asked.join('\n\n') } as const]),
      ...(answers.length === 0
        ? []
        : [{ by: 'assistant', text: answers.map(({ text }) => text).join('\n\n'), calls: [] } as const]),
    ]
  })
}

/** No line of what one person writes can be taken for the name of another; the same at each call, unlike a fence. */
function quoteLines(content: string): string {
  return content.replaceAll(/\r\n?|[\u2028\u2029\u0085\v\f]/g, '\n').replaceAll(/^/gm, '> ')
}

function renderNewest(context: AssistantContext, fence: Fence, moment: Moment): string {
  const { addressed, message, additions, callerName } = context
  const said = [message, ...additions.map(({ content }) => content)].map((text) => fence.wrap('MESSAGE', text))
  return [
    openPrompt(fence, moment),
    describeCaller(context),
    ...describeGroup(context),
    ...describeSecrets(context.secretNames),
    ...describeFacts(context.facts, fence),
    ...describeSummary(context.summary, fence),
    ...describeWorkingMemory(context.workingMemory, fence),
    ...describeStrangers(context.paraphrased, fence, moment.timeZone),
    ...describeQuestions(context.questions, fence),
    ...describeFiles(context.files, fence),
    ...describePluginSections(context.pluginSections, fence),
    ...(addressed ? [] : [SILENCE]),
    `# The message to answer\n\n${nameUser(callerName)} writes:\n${said.join('\n')}`,
  ].join('\n\n')
}

const SILENCE = `# Silence

The message was not addressed to you. Serve it only if it plainly asks something of you, or if you have something to say that the others would miss. If not, answer ${SILENCE_MARKER} and nothing else.`

function describeGroup({ conversationType }: Pick<PlannerContext, 'conversationType'>): string[] {
  if (conversationType === 'DIRECT') return []
  return [
    '# A group\n\nSeveral people write here, to each other and to you. You work for the caller alone, with the rights of the caller: ' +
      'what others asked for is only context. Say by name whom an answer is for where that could be unclear.',
  ]
}

function renderRound(round: AssistantRound, context: AssistantContext, fence: Fence): ConversationMessage[] {
  return [
    {
      by: 'assistant',
      text: round.text,
      calls: round.calls.map(({ callId: id, name, written }) => ({ id, name, written })),
    },
    ...renderResults(round, context, fence),
  ]
}

function renderResults(
  { calls, additions }: AssistantRound,
  context: AssistantContext,
  fence: Fence,
): ConversationMessage[] {
  return [
    ...calls.map(({ callId, task, rejected }): ConversationMessage => ({
      by: 'tool',
      callId,
      text: rejected === null ? describeResult(task, fence) : `Done, but rejected.\n${fence.wrap('REASON', rejected)}`,
    })),
    ...additions.map((content): ConversationMessage => ({
      by: 'user',
      text: `${nameUser(context.callerName)} adds, while you work:\n${fence.wrap('MESSAGE', content)}`,
    })),
  ]
}

function describeResult(task: TaskReport, fence: Fence): string {
  const { status, exitCode, output, outputFile, stderr, stderrFile, truncated } = task
  const ending = ENDINGS[status] ?? status
  const exit = exitCode === null ? '' : `, exit code ${exitCode}`
  return [
    `${ending}${exit}.`,
    ...block(output, (text) => fence.wrap('DATA_STDOUT', previewOutput(text, RESULT, outputFile))),
    ...block(stderr, (text) => fence.wrap('DATA_STDERR', previewOutput(text, RESULT, stderrFile))),
    ...(truncated ? [OUTPUT_CUT] : []),
  ].join('\n')
}

const ENDINGS: Partial<Record<TaskReport['status'], string>> = {
  DONE: 'Done',
  FAILED: 'Failed',
  INTERRUPTED: 'Interrupted, and its outcome is unknown: it may or may not have taken effect',
  SKIPPED: 'Not run, because the caller said more meanwhile',
}

function block(text: string | null, wrap: (text: string) => string): string[] {
  return text === null || text === '' ? [] : [wrap(text)]
}
