/**
 * What providers were seen to answer, served over HTTP byte by byte: the text comes through, and an error is told in
 * words that say what to change. docs/models.md shows the table.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AppError } from '../../../src/core/errors.ts'
import { openAgentsWorld, type AgentsWorldOptions } from '../agents-world.ts'
import { StubEndpoint } from '../stub-endpoint.ts'
import { ANSWERS } from './answers.ts'
import { FORMS } from './forms.ts'
import { REFUSALS } from './refusals.ts'
import { NO_TOOLS, ROUNDS } from './rounds.ts'
import type { ProviderShape } from './shape.ts'
import { TOO_LONG } from './too-long.ts'

const SCHEMA = {
  name: 'plan',
  json: { type: 'object', properties: { goal: { type: 'string' } }, required: ['goal'], additionalProperties: false },
}
const ERRORS = [...REFUSALS, ...TOO_LONG]
const NAMED = (shape: { provider: string; what: string }): string => `${shape.provider}: ${shape.what}`

interface Asked extends Omit<AgentsWorldOptions, 'baseUrl'> {
  readonly baseUrl: string
  readonly streams?: boolean
  readonly wantsSchema?: boolean
}

async function ask({ streams = false, wantsSchema = false, ...options }: Asked) {
  await using world = await openAgentsWorld(options)
  const pieces: string[] = []
  const ask = () =>
    world.model
      .complete({
        role: 'planner',
        provider: 'stub',
        model: 'stub-1',
        system: 'You plan.',
        user: 'Plan this.',
        schema: wantsSchema ? SCHEMA : null,
        onText: streams ? (piece) => pieces.push(piece) : null,
        idleTimeoutMs: 5000,
        signal: new AbortController().signal,
      })
      .then(({ text }) => ({ text, error: null, pieces: pieces.splice(0) }))
      .catch((error: unknown) => ({ text: null, error: error as AppError, pieces: pieces.splice(0) }))
  return { first: await ask(), again: ask }
}

function serve({ body, type = 'application/json', status = 200, headers = {} }: ProviderShape): Promise<StubEndpoint> {
  return StubEndpoint.start({
    always: { status, headers: { 'content-type': type, ...headers }, body: Buffer.from(body) },
  })
}

describe('an answer', () => {
  test.each(ANSWERS.map((shape) => [NAMED(shape), shape] as const))('of %s', async (_, shape) => {
    await using stub = await serve(shape)
    const whole = await ask({ baseUrl: stub.baseUrl })
    expect(whole.first).toMatchObject({ text: shape.becomes, error: null })
    const { first } = await ask({ baseUrl: stub.baseUrl, streams: true })
    expect(first.text).toBe(shape.becomes)
    expect(first.pieces.join('')).toBe(shape.becomes)
  })
})

describe('an error', () => {
  test.each(ERRORS.map((shape) => [NAMED(shape), shape] as const))('of %s', async (_, shape) => {
    await using stub = await serve(shape)
    const { error } = (await ask({ baseUrl: stub.baseUrl })).first
    const { code, says } = shape.becomes as Exclude<ProviderShape['becomes'], string>
    expect(error?.message).toMatch(says)
    expect(error?.code).toBe(code)
  })
})

describe('a form that is refused', () => {
  const GOAL = '{"goal":"Say hi"}'
  test.each(FORMS.map((form) => [NAMED(form), form] as const))('%s', async (_, { status, message, refuses, takes }) => {
    await using stub = await StubEndpoint.start({
      by: ({ body }) => {
        if (refuses({ ...body })) return { status, body: { error: { message } } }
        const called = (body as { tool_choice?: unknown }).tool_choice !== undefined
        return called
          ? {
              toolCalls: [{ index: 0, id: 'a', function: { name: 'plan', arguments: GOAL } }],
              finishReason: 'tool_calls',
            }
          : GOAL
      },
    })
    const { first, again } = await ask({ baseUrl: stub.baseUrl, wantsSchema: true })
    expect(first).toMatchObject({ text: GOAL, error: null })
    expect(stub.calls.at(-1)?.body).toMatchObject(takes)
    const asked = stub.calls.length
    expect(await again()).toMatchObject({ text: GOAL })
    expect(stub.calls).toHaveLength(asked + 1)
  })

  test('is not left when config.toml names it', async () => {
    await using stub = await StubEndpoint.start({
      always: { status: 400, body: { error: { message: 'response_format is not supported' } } },
    })
    const { first } = await ask({
      baseUrl: stub.baseUrl,
      wantsSchema: true,
      request: { structuredOutput: 'json_schema' },
    })
    expect(first.error?.code).toBe('MODEL_NO_STRUCTURED_OUTPUT')
    expect(stub.calls).toHaveLength(1)
  })
})

describe('what [providers.x] says', () => {
  test('is what is sent', async () => {
    await using stub = await StubEndpoint.start({ always: '{"goal":"x"}' })
    await ask({
      baseUrl: stub.baseUrl,
      wantsSchema: true,
      apiKeyEnv: 'KEY',
      keys: { KEY: 'sk-1' },
      request: {
        headers: { 'x-title': 'Factotum' },
        query: { 'api-version': '1' },
        apiKeyHeader: 'api-key',
        extraBody: { temperature: 0.2 },
        structuredOutput: 'prompt',
        streams: false,
        systemRole: 'developer',
        maxTokens: 100,
        maxTokensField: 'max_completion_tokens',
      },
    })
    const [call] = stub.calls
    expect(call?.headers).toMatchObject({ 'x-title': 'Factotum', 'api-key': 'sk-1' })
    expect(call?.headers).not.toHaveProperty('authorization')
    expect(call?.url).toMatch(/\/chat\/completions\?api-version=1$/)
    expect(call?.body).toEqual({
      model: 'stub-1',
      messages: [
        { role: 'developer', content: expect.stringMatching(/^You plan\.[^]*"goal"/) as string },
        { role: 'user', content: 'Plan this.' },
      ],
      stream: false,
      temperature: 0.2,
      max_completion_tokens: 100,
    })
  })
})

test('reasoning without its first mark is held back from the second answer on', async () => {
  await using stub = await StubEndpoint.start({ always: { pieces: ['Hmm.', '\n</think>\n', '\nHi.'] } })
  const { first, again } = await ask({ baseUrl: stub.baseUrl, streams: true })
  // Nobody could know by then what it was.
  expect(first.pieces.join('')).toContain('Hmm.')
  expect(await again()).toMatchObject({ text: 'Hi.', error: null })
  const { pieces } = await again()
  expect(pieces.join('')).toBe('Hi.')
})

test('docs/models.md shows what is tested here', async () => {
  const path = join(import.meta.dirname, '../../../docs/models.md')
  const doc = await readFile(path, 'utf8')
  const rows = [
    ...ANSWERS.map(({ provider, what }) => [provider, what, 'read']),
    ...ERRORS.map(({ provider, what, becomes }) => [provider, what, `\`${(becomes as { code: string }).code}\``]),
    ...[...FORMS, ...ROUNDS].map(({ provider, what }) => [provider, `refuses ${what}`, 'asked in another form']),
    ...NO_TOOLS.map(({ provider }) => [provider, 'takes no calls of tools', '`MODEL_UNKNOWN`']),
  ]
  const table = tableOf(['provider', 'what it sends', 'what becomes of it'], rows.toSorted(byText))
  const [before = '', after = ''] = doc.split(/<!-- providers:begin -->[^]*<!-- providers:end -->/)
  const wanted = `${before}<!-- providers:begin -->\n\n${table}\n\n<!-- providers:end -->${after}`
  await expect(wanted).toMatchFileSnapshot(path)
})

function byText([a = '', b = '']: readonly string[], [c = '', d = '']: readonly string[]): number {
  return a.localeCompare(c) || b.localeCompare(d)
}

/** Markdown as prettier leaves it. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
