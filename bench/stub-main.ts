/**
 * The language model of the bench, in a process of its own: the tests' stub endpoint, which answers at once with one
 * command (`echo hi`), a good review and a short text; or, asked to hold, never; or by a script, at its rate.
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { chunk, sse, StubEndpoint, type StubAnswer, type StubCall } from '../test/model/stub-endpoint.ts'
import { answerWell, GOOD_PLAN } from '../test/model/good-answers.ts'
import { serveParent } from './helper-process.ts'

/** The stub remembers calls for tests to read; here they would only fill memory. */
const REMEMBERED_CALLS = 100

/** What plans do and answers say from now on. */
export interface Script {
  /** Null: the plan is an answer alone. */
  readonly command: string | null
  readonly pieces: readonly string[]
  readonly piecesPerSecond: number
}

/** In a message of a conversation: its model calls a tool once. */
const WANTS_TOOL = 'Use a tool.'
/** The same for an agent whose loop shall do what a turn of a plan does: it runs a command, reviews it, answers. */
const WANTS_REVIEWED_TOOL = 'Use a tool and review it.'
const EXEC = { name: 'exec', arguments: JSON.stringify({ command: 'echo hi' }) }
const REVIEW = { name: 'review', arguments: JSON.stringify({ status: 'ok' }) }
let callCount = 0

/** The call of a tool with which the model answers now; undefined: it answers with a text. */
function wantedCall({ body: { tools, messages = [] } }: StubCall): object | undefined {
  if (tools === undefined) return undefined
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const said = textOf(messages[asked]?.content)
  const wanted = said.includes(WANTS_REVIEWED_TOOL) ? [EXEC, REVIEW] : said.includes(WANTS_TOOL) ? [EXEC] : []
  const done = messages.slice(asked).filter(({ role }) => role === 'tool').length
  return wanted[done] && { index: 0, id: `call_${callCount++}`, type: 'function', function: wanted[done] }
}

/** A message's content may be a list of parts. */
function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

let holding = false
let script: Script | null = null
const stub = await StubEndpoint.start({
  by: (call) => {
    if (stub.calls.length > REMEMBERED_CALLS) stub.calls.length = 0
    if (holding) return () => {}
    const wanted = wantedCall(call)
    if (wanted !== undefined) return { toolCalls: [wanted], finishReason: 'tool_calls' }
    return script === null ? answerWell(call) : answerBy(script, call)
  },
})

function answerBy({ command, pieces, piecesPerSecond }: Script, call: StubCall): StubAnswer {
  if (call.role === 'planner') {
    const [run, say] = GOOD_PLAN.tasks
    return { content: { ...GOOD_PLAN, tasks: command === null ? [say] : [{ ...run, detail: command }, say] } }
  }
  if (call.role !== 'messenger') return answerWell(call)
  return (response) => void stream(response, pieces, piecesPerSecond).catch(() => response.destroy())
}

/** Pieces that are late are made up for: the rate is kept. */
async function stream(response: ServerResponse, pieces: readonly string[], perSecond: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const beganMs = performance.now()
  for (const [index, content] of pieces.entries()) {
    const waitMs = beganMs + (index / perSecond) * 1000 - performance.now()
    if (waitMs > 1) await sleep(waitMs)
    response.write(sse(chunk([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }])))
  }
  response.write(sse(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])))
  response.end('data: [DONE]\n\n')
}

const functions = {
  baseUrl: () => Promise.resolve(stub.baseUrl),
  hold: (isHolding: boolean) => {
    holding = isHolding
    return Promise.resolve()
  },
  follow: (next: Script | null) => {
    script = next
    return Promise.resolve()
  },
}
export type StubApi = typeof functions

serveParent(functions, () => stub.close())
