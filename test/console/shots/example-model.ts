/**
 * What the model says in the example that the pictures show: a script of turns, found by the first words of their
 * message. It is no language model, and does not pretend to be one outside of pictures.
 */
import type { StubAnswer, StubCall } from '../../model/stub-endpoint.ts'

/** A command, or what the messenger is to write. */
type Task = { readonly run: string; readonly expect: string; readonly learn?: string } | { readonly say: string }

export interface PlannedTurn {
  readonly message: string
  readonly goal: string
  readonly tasks: readonly Task[]
  /** A review asks for another plan, once, with this reason; it is the second one. */
  readonly again?: string
  readonly answer: string
}

/** In a session of mode CHAT. */
export interface SpokenTurn {
  readonly message: string
  readonly think?: string
  readonly calls?: readonly string[]
  readonly answer: string
}

const usageOf = (prompt: string, answer: string): object => ({
  prompt_tokens: Math.ceil(prompt.length / 4),
  completion_tokens: Math.ceil(answer.length / 4),
  prompt_tokens_details: { cached_tokens: Math.floor(prompt.length / 8) },
})

/** Answers every call of the turns given; one that it does not know it answers briefly. */
export function scriptedModel(planned: readonly PlannedTurn[], spoken: readonly SpokenTurn[]) {
  const reviewedAgain = new Set<string>()
  return (call: StubCall): StubAnswer => {
    const { user, body } = call
    const said = (content: unknown): StubAnswer => {
      return { content, usage: usageOf(call.system + user, JSON.stringify(content)) }
    }
    if (body.tools !== undefined) return converse(spoken, body.messages ?? [])
    const turn = planned.findLast(({ message }) => user.includes(message.slice(0, 40)))
    switch (call.role) {
      case 'planner':
        return said(planOf(turn, user))
      case 'reviewer':
        return said(reviewOf(turn, user, reviewedAgain))
      case 'introspector':
        return said({ workingMemory: 'Release 2.4 is being prepared.', description: null, learnings: [] })
      case 'curator':
        return said({ evaluations: [] })
      case 'paraphraser':
        return said({ paraphrases: [] })
      default:
        return { ...inPieces(turn?.answer ?? 'Done.'), usage: usageOf(user, turn?.answer ?? '') }
    }
  }
}

function inPieces(text: string): { readonly pieces: readonly string[] } {
  return { pieces: text.match(/\S*\s*/g)?.filter((piece) => piece !== '') ?? [text] }
}

function planOf(turn: PlannedTurn | undefined, user: string): object {
  const isSecond = user.includes('Another plan is needed')
  const tasks = (turn?.tasks ?? [{ say: 'Answer.' }]).filter((task) => !isSecond || 'say' in task || task.learn)
  return {
    goal: turn?.goal ?? 'Answer',
    secrets: null,
    answers: null,
    tasks: tasks.map((task) => {
      const common = { skill: null, args: null }
      return 'say' in task
        ? { ...common, type: 'msg', detail: task.say, expect: null }
        : { ...common, type: 'exec', detail: task.run, expect: task.expect }
    }),
  }
}

/** The command under review stands in the prompt. */
function reviewOf(turn: PlannedTurn | undefined, user: string, reviewedAgain: Set<string>): object {
  const judged = turn?.tasks.find((task) => 'run' in task && user.includes(task.run))
  const learn = judged !== undefined && 'run' in judged ? (judged.learn ?? null) : null
  if (turn?.again === undefined || reviewedAgain.has(turn.message)) return { status: 'ok', reason: null, learn }
  reviewedAgain.add(turn.message)
  return { status: 'replan', reason: turn.again, learn: null }
}

type Heard = NonNullable<StubCall['body']['messages']>

function converse(spoken: readonly SpokenTurn[], messages: Heard): StubAnswer {
  const newest = messages.findLastIndex(({ role }) => role === 'user')
  const asked = messages[newest]?.content ?? ''
  const turn = spoken.find(({ message }) => asked.includes(message.slice(0, 40)))
  const answer = turn?.answer ?? 'Done.'
  const usage = usageOf(JSON.stringify(messages), answer)
  const isFirst = messages.length === newest + 1
  if (turn?.calls === undefined || !isFirst)
    return {
      pieces: [...(turn?.think === undefined ? [] : [`<think>${turn.think}</think>\n\n`]), ...inPieces(answer).pieces],
      usage,
    }
  const toolCalls = turn.calls.map((command, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name: 'exec', arguments: JSON.stringify({ command }) },
  }))
  return { content: '', toolCalls, finishReason: 'tool_calls', usage }
}
