import { expect, test } from 'vitest'
import { AppError } from '../../core/errors.ts'
import type { ModelRuntimes, OpenRuntime, RuntimeAsked, RuntimePiece } from '../../core/tool/model-runtime.ts'
import { systemClock } from '../../platform/clock.ts'
import type { ConversationRequest } from '../conversation/conversation.ts'
import type { LanguageModel } from '../language-model.ts'
import { RuntimeHolder } from './runtime-holder.ts'
import { withRuntimes } from './runtime-model.ts'

type Answer = (asked: RuntimeAsked, signal: AbortSignal) => AsyncIterable<RuntimePiece>

/** Runtimes that answer as they are told, and what became of each. */
class AskedRuntimes implements ModelRuntimes {
  readonly opened: { readonly system: string; readonly asked: RuntimeAsked[]; isOpen: boolean }[] = []
  answer: Answer

  constructor(answer: Answer) {
    this.answer = answer
  }

  async open({ system }: { readonly system: string }): Promise<OpenRuntime> {
    const one = { system, asked: [] as RuntimeAsked[], isOpen: true }
    this.opened.push(one)
    const id = `runtime_${this.opened.length}`
    return {
      id,
      get isOpen() {
        return one.isOpen
      },
      send: (asked, signal) => {
        one.asked.push(asked)
        return this.answer(asked, signal)
      },
      close: () => {
        one.isOpen = false
      },
    }
  }
}

const providers: LanguageModel = {
  complete: () => Promise.reject(new Error('not of a provider')),
  converse: () => Promise.reject(new Error('not of a provider')),
}

async function* says(...texts: readonly string[]): AsyncGenerator<RuntimePiece> {
  for (const text of texts) yield { kind: 'text', text }
  yield { kind: 'usage', inputTokens: 3, outputTokens: 2, cachedTokens: 1 }
}

function stage(answer: Answer) {
  const runtimes = new AskedRuntimes(answer)
  const model = withRuntimes({ model: providers, runtimes, clock: systemClock })
  const holder = new RuntimeHolder()
  const said: string[] = []
  const ask = (more: Partial<ConversationRequest> = {}) =>
    model.converse({
      role: 'assistant',
      provider: 'toys/agent',
      model: 'one',
      system: 'Be brief.',
      said: [{ by: 'user', text: 'Hello' }],
      tools: [],
      continues: null,
      runtime: holder,
      onText: (text) => said.push(text),
      onThinking: null,
      idleTimeoutMs: 60_000,
      signal: new AbortController().signal,
      ...more,
    })
  return { runtimes, holder, said, ask }
}

const away = (): never => {
  throw new AppError('MODEL_UNREACHABLE', 'It has ended.', { retry: 'backoff' })
}

test('what is open is gone on with, and another one is opened where anything that it sees has changed', async () => {
  const { runtimes, ask } = stage(() => says('Hi ', 'there.'))
  const first = await ask()
  expect(first).toMatchObject({ text: 'Hi there.', responseId: 'runtime_1', inputTokens: 3, cachedTokens: 1 })
  await ask({ continues: 'runtime_1' })
  expect(runtimes.opened).toMatchObject([{ asked: [{}, {}], isOpen: true }])
  for (const changed of [
    { system: 'Be long.' },
    { model: 'two' },
    { tools: [{ name: 'a', description: 'b', parameters: {} }] },
  ]) {
    const before = runtimes.opened.length
    await expect(ask({ ...changed, continues: `runtime_${before}` })).rejects.toMatchObject({
      code: 'MODEL_CONVERSATION_LOST',
    })
    expect(runtimes.opened.at(-1)?.isOpen).toBe(false)
    await ask(changed)
    expect(runtimes.opened).toHaveLength(before + 1)
  }
})

test('one that has gone is lost before it has said anything, and has failed after', async () => {
  const { runtimes, holder, said, ask } = stage(() => says('Hi.'))
  await ask()
  runtimes.answer = away
  await expect(ask({ continues: 'runtime_1' })).rejects.toMatchObject({ code: 'MODEL_CONVERSATION_LOST' })
  await expect(ask()).rejects.toMatchObject({ code: 'MODEL_UNREACHABLE' })
  runtimes.answer = () => says('Hi.')
  await ask()
  runtimes.answer = async function* () {
    yield { kind: 'text', text: 'I am ' }
    away()
  }
  await expect(ask({ continues: 'runtime_3' })).rejects.toMatchObject({ code: 'MODEL_UNREACHABLE' })
  expect(said.at(-1)).toBe('I am ')
  expect(holder.isFilled).toBe(false)
  expect(runtimes.opened.map(({ isOpen }) => isOpen)).toEqual([false, false, false])
})

test.each<[string, () => AsyncGenerator<RuntimePiece>, string]>([
  [
    'no end',
    async function* () {
      for (;;) yield { kind: 'text', text: 'x'.repeat(64 * 1024) }
    },
    'MODEL_BAD_OUTPUT',
  ],
  [
    'endless thoughts',
    async function* () {
      for (;;) yield { kind: 'thinking', text: 'x'.repeat(64 * 1024) }
    },
    'MODEL_BAD_OUTPUT',
  ],
  [
    'endless calls',
    async function* () {
      for (let id = 0; ; id++) yield { kind: 'call', id: `${id}`, name: 'exec', args: {} }
    },
    'MODEL_BAD_OUTPUT',
  ],
  ['nothing', async function* () {}, 'MODEL_BAD_OUTPUT'],
])('an answer of %s closes it', async (_, answer, code) => {
  const { runtimes, ask } = stage(answer)
  await expect(ask()).rejects.toMatchObject({ code })
  expect(runtimes.opened).toMatchObject([{ isOpen: false }])
})

test('silence and a cancel end an answer', async () => {
  const hangs: Answer = async function* (_, signal) {
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    yield { kind: 'text', text: 'too late' }
    throw new Error('aborted')
  }
  const { ask } = stage(hangs)
  await expect(ask({ idleTimeoutMs: 20 })).rejects.toMatchObject({ code: 'MODEL_SILENT' })
  const cancel = new AbortController()
  const asked = ask({ signal: cancel.signal })
  cancel.abort()
  await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('calls of one id are told apart', async () => {
  const { ask } = stage(async function* () {
    for (const n of [1, 2]) yield { kind: 'call', id: 'same', name: 'exec', args: { command: `echo ${n}` } }
  })
  expect((await ask()).calls).toMatchObject([{ id: 'same' }, { id: 'same_2', args: { command: 'echo 2' } }])
})

test('other roles ask in a conversation of one answer, and get JSON in words', async () => {
  const runtimes = new AskedRuntimes(() => says('{}'))
  const model = withRuntimes({ model: providers, runtimes, clock: systemClock })
  const request = { role: 'planner', provider: 'toys/agent', model: 'one', system: 'Plan.', user: 'Do it.' } as const
  const schema = { name: 'plan', json: { type: 'object' } }
  const signal = new AbortController().signal
  const answered = await model.complete({ ...request, schema, onText: null, idleTimeoutMs: 1000, signal })
  expect(answered.text).toBe('{}')
  expect(runtimes.opened).toMatchObject([{ system: expect.stringContaining('{"type":"object"}'), isOpen: false }])
})

test('what cannot be stored is replaced, and halves of a character are put together', async () => {
  const { said, ask } = stage(async function* () {
    yield { kind: 'thinking', text: 'h\0m' }
    yield { kind: 'text', text: 'a\uD83D' }
    yield { kind: 'text', text: '\uDE00b\0\uD83D' }
    yield { kind: 'call', id: 'i\0', name: 'n\0', args: { 'k\0': ['\uDC00'] } }
  })
  const thoughts: string[] = []
  const answer = await ask({ onThinking: (thought) => thoughts.push(thought) })
  expect(answer.text).toBe('a😀b\uFFFD\uFFFD')
  expect(said.join('')).toBe(answer.text)
  expect(said.every((piece) => piece.isWellFormed())).toBe(true)
  expect(thoughts).toEqual(['h\uFFFDm'])
  const args = { 'k\uFFFD': ['\uFFFD'] }
  expect(answer.calls).toEqual([{ id: 'i\uFFFD', name: 'n\uFFFD', args, written: JSON.stringify(args) }])
})

test('counts that no call can have are bounded', async () => {
  const { ask } = stage(async function* () {
    yield { kind: 'text', text: 'Hi.' }
    yield { kind: 'usage', inputTokens: 3, outputTokens: 2 ** 40, cachedTokens: 9 }
  })
  expect(await ask()).toMatchObject({ inputTokens: 3, outputTokens: 2 ** 31 - 1, cachedTokens: 3 })
})

test('what it says it has used is counted when it fails after, or is cancelled', async () => {
  const used = { inputTokens: 3, outputTokens: 2, cachedTokens: 1 }
  const { runtimes, ask } = stage(async function* () {
    yield { kind: 'usage', ...used }
    away()
  })
  await expect(ask()).rejects.toMatchObject({ code: 'MODEL_UNREACHABLE', tokens: used })
  const cancel = new AbortController()
  runtimes.answer = async function* () {
    yield { kind: 'usage', ...used }
    cancel.abort()
    throw new Error('aborted')
  }
  await expect(ask({ signal: cancel.signal })).rejects.toMatchObject({ code: 'CANCELLED', tokens: used })
})
