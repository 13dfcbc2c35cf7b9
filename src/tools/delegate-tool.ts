/**
 * `delegation__delegate`: gives a task to a session of its own. It is offered and allowed like any tool; the turn that
 * calls it carries it out (src/turn/delegation), since it waits without a worker, which no call of a tool can.
 */
import * as z from 'zod'
import type { JsonObject } from '../core/tool/json.ts'
import type { Tool, ToolSource } from './tool.ts'

const SOURCE = 'delegation'

/** What it is called with. */
export interface DelegateArguments {
  readonly task: string
  /** What the result is judged by. */
  readonly expect: string
  /** Patterns; null: all that the caller may call. */
  readonly tools: readonly string[] | null
  /** A part of what the caller's session may use of its budget, more than 0 and at most 1. */
  readonly budget: number
}

const DEFAULT_BUDGET = 0.5
const MAX_TEXT_CHARS = 8000

/** As it is offered; what calls `run` is told that turns alone carry it out. */
export const DELEGATE: Tool = {
  name: 'delegation__delegate',
  source: SOURCE,
  description:
    'Gives a task to an assistant of its own, who knows nothing of this conversation: say all that it needs. It works as the same user, ' +
    'with no more rights, and its result is judged by "expect". The output is its answer.',
  parameters: {
    type: 'object',
    properties: {
      task: { type: 'string', minLength: 1, maxLength: MAX_TEXT_CHARS, description: 'What is to be done.' },
      expect: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_TEXT_CHARS,
        description: 'What the result must be, so that one can judge it.',
      },
      tools: {
        type: 'array',
        maxItems: 50,
        items: { type: 'string', minLength: 1, maxLength: 64 },
        description:
          'What it may call: "weather__*", "skills__<skill>", "exec". All that may be called here when left out.',
      },
      budget: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 1,
        description: 'Which part of the budget of this session it may use; a half when left out.',
      },
    },
    required: ['task', 'expect'],
    additionalProperties: false,
  },
  effect: 'WRITE',
  run: () => Promise.resolve({ kind: 'failed', text: 'A task is delegated by plans and conversations only.' }),
}

/** Where the catalogue has it from. */
export const DELEGATION: ToolSource = {
  name: SOURCE,
  origin: 'SERVER',
  tools: () => [DELEGATE],
  problem: () => null,
}

const text = z.string().trim().min(1).max(MAX_TEXT_CHARS)
const schema = z.object({
  task: text,
  expect: text,
  tools: z.array(z.string().min(1).max(64)).max(50).nullish(),
  budget: z.number().gt(0).max(1).nullish(),
})

/** Null: they do not fit; an approval may have changed them. */
export function readDelegateArguments(args: JsonObject | null): DelegateArguments | null {
  const { success, data } = schema.safeParse(args)
  if (!success) return null
  const { tools = null, budget = null, ...texts } = data
  return { ...texts, tools, budget: budget ?? DEFAULT_BUDGET }
}
