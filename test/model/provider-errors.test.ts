/** What people read when a provider does not do as it should: each message says what to change. */
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { AppError } from '../../src/core/errors.ts'
import type { Answer } from '../../src/agents/agent.ts'
import { openAgentsWorld, PLANNER_CONTEXT, type AgentsWorldOptions } from './agents-world.ts'
import { StubEndpoint, type StubAnswer } from './stub-endpoint.ts'

const KEYED = { apiKeyEnv: 'STUB_KEY', keys: { STUB_KEY: 'sk-very-secret' } }

/** The error with which the planner fails. */
async function planWith(options: AgentsWorldOptions): Promise<AppError> {
  await using world = await openAgentsWorld(options)
  return errorOf(await world.agents.plan(PLANNER_CONTEXT, [], new AbortController().signal))
}

function errorOf(answer: Answer<unknown>): AppError {
  if (answer.kind === 'answered') throw new Error('the planner answered')
  return answer.error
}

async function planAgainst(answer: StubAnswer, options: Partial<AgentsWorldOptions> = {}): Promise<string> {
  await using stub = await StubEndpoint.start({ always: answer })
  const error = await planWith({ baseUrl: stub.baseUrl, ...options })
  return `${error.code}: ${error.message.replaceAll(stub.baseUrl, 'BASE_URL')}`
}

const error = (status: number, message: string, more: object = {}): StubAnswer => ({
  status,
  body: { error: { message, ...more } },
})

describe('a provider that refuses', () => {
  test('the key names the provider and where the key is', async () => {
    expect(await planAgainst(error(401, 'Incorrect API key provided: sk-very-secret.'), KEYED)).toBe(
      'MODEL_UNAUTHORIZED: Provider "stub" does not accept the key in STUB_KEY (environment or .env), or the key may not use the model "stub-1". Check both. It said: 401 Incorrect API key provided: [REDACTED].',
    )
  })

  test('a call without a key says how to give one', async () => {
    expect(await planAgainst(error(401, 'Missing bearer'))).toBe(
      'MODEL_UNAUTHORIZED: Provider "stub" wants a key. Set api_key_env in [providers.stub] to the name of the environment variable (or line of .env) that holds it. It said: 401 Missing bearer.',
    )
  })

  test.each(['“sk-1”', 'sk-1\nsk-2', 'sk-1\u2028', '\ufeffsk-1'])(
    'is not asked with a key that no header can carry: %j',
    async (key) => {
      await using stub = await StubEndpoint.start({ list: [] })
      const failure = await planWith({ baseUrl: stub.baseUrl, apiKeyEnv: 'STUB_KEY', keys: { STUB_KEY: key } })
      expect(`${failure.code}: ${failure.message}`).toBe(
        'MODEL_UNAUTHORIZED: The key of provider "stub" has characters that no key has, such as curly quotes or a line break: copy it into STUB_KEY (environment or .env) anew.',
      )
    },
  )

  test('is not even asked when the key is missing here', async () => {
    await using stub = await StubEndpoint.start({ list: [] })
    const failure = await planWith({ baseUrl: stub.baseUrl, apiKeyEnv: 'STUB_KEY' })
    expect(`${failure.code}: ${failure.message}`).toBe(
      'MODEL_UNAUTHORIZED: The key of provider "stub" is missing: set the environment variable STUB_KEY, or write it into .env beside config.toml (api_key_env in [providers.stub] names it).',
    )
  })

  test.each([
    [
      'OpenAI',
      error(404, 'The model `stub-1` does not exist or you do not have access to it.', { code: 'model_not_found' }),
    ],
    ['OpenRouter', error(400, 'stub-1 is not a valid model ID', { code: 400 })],
    ['Ollama', error(404, 'model "stub-1" not found, try pulling it first')],
    ['vLLM', { status: 404, body: { object: 'error', message: 'The model `stub-1` does not exist.', code: 404 } }],
  ])('an unknown model, in the words of %s, names the setting', async (_, answer) => {
    expect(await planAgainst(answer)).toMatch(/^MODEL_UNKNOWN: .*\[models\] planner = "…" in config\.toml/)
  })

  test('an unknown address names base_url', async () => {
    expect(await planAgainst({ status: 404, body: '<html>Not here</html>' })).toBe(
      'MODEL_UNKNOWN: There are no chat completions at BASE_URL, or no model "stub-1". Check base_url in [providers.stub] (it usually ends in /v1) and [models] planner = "…" in config.toml. It said: 404 <html>Not here</html>.',
    )
  })

  test.each([
    error(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
    error(422, 'json_schema is not supported'),
    error(404, 'No endpoints found that support structured outputs'),
    error(400, 'Unsupported parameter', { param: 'response_format' }),
  ])('structured output names provider, role and setting', async (answer) => {
    expect(await planAgainst(answer)).toMatch(
      /^MODEL_NO_STRUCTURED_OUTPUT: Provider "stub" does not give structured output \(response_format with a strict json_schema\) with the model "stub-1", and the planner needs it\. Choose a model that has it: \[models\] planner = "…" in config\.toml, or set structured_output in \[providers\.stub\]\. It said: \d{3} /,
    )
  })

  test('credit says so', async () => {
    expect(await planAgainst(error(402, 'Insufficient credits'))).toBe(
      'MODEL_QUOTA: The credit or quota at provider "stub" is used up. Add credit there, or use another provider: [models] planner = "…" in config.toml. It said: 402 Insufficient credits.',
    )
  })

  test('a long question says what to shorten', async () => {
    expect(await planAgainst(error(400, "This model's maximum context length is 8192 tokens."))).toContain(
      'Send a shorter message, lower context_tokens in [settings], or choose a model with a larger context',
    )
  })

  test('by redirecting is not followed', async () => {
    expect(await planAgainst({ status: 301, headers: { location: 'https://new.example/v1?key=1' }, body: '' })).toBe(
      'MODEL_BAD_REQUEST: BASE_URL redirects to https://new.example/v1?key=1, and redirects are not followed. Put the final address into base_url in [providers.stub]. It said: 301.',
    )
  })

  test('in other words is quoted', async () => {
    expect(await planAgainst(error(400, 'temperature is\nnot\u202E for you'))).toBe(
      'MODEL_BAD_REQUEST: Provider "stub" does not accept the request of the planner\'s model "stub:stub-1". It said: 400 temperature is not for you.',
    )
  })
})

describe('a model that', () => {
  test('hits its output limit', async () => {
    expect(await planAgainst({ content: '{"goal"', finishReason: 'length' })).toBe(
      'MODEL_TRUNCATED: The planner\'s model "stub:stub-1" reached its output limit, or the end of its context, before its answer was complete. Ask for less at once, give it a larger context, or choose a model that may write more: [models] planner = "…" in config.toml.',
    )
  })

  test('refuses is quoted', async () => {
    expect(await planAgainst({ content: '', refusal: 'I cannot help with that' })).toBe(
      'MODEL_REFUSED: The planner\'s model "stub:stub-1" refused to answer: I cannot help with that. Word the message differently, or choose another model: [models] planner = "…" in config.toml.',
    )
  })

  test('does not follow the schema', async () => {
    expect(await planAgainst('Sure!')).toBe(
      'MODEL_BAD_OUTPUT: The planner ("stub:stub-1") gave no usable answer in 2 tries. The last one: The answer contains no JSON object. A model that follows JSON schemas better may help: [models] planner in config.toml.',
    )
  })
})

describe('a provider that is not there', () => {
  test('refuses the connection', async () => {
    const failure = await planWith({ baseUrl: `http://user:password@127.0.0.1:${await freePort()}/v1` })
    expect(failure.code).toBe('MODEL_UNREACHABLE')
    expect(failure.message).toMatch(
      /^Provider "stub" cannot be reached at http:\/\/127\.0\.0\.1:\d+\/v1: the connection is refused\. Check base_url in \[providers\.stub\], and that the server there runs \(ECONNREFUSED\)\.$/,
    )
  })

  test('speaks HTTP where base_url says HTTPS', async () => {
    await using stub = await StubEndpoint.start({ list: [] })
    const failure = await planWith({ baseUrl: stub.baseUrl.replace('http:', 'https:') })
    expect(failure).toMatchObject({ code: 'MODEL_UNREACHABLE', retry: 'never' })
    expect(failure.message).toContain(
      'no TLS connection can be made. Check https or http in base_url in [providers.stub]',
    )
  })

  test('has no name', async () => {
    const failure = await planWith({ baseUrl: 'http://no-such-host.invalid/v1' })
    expect(failure.code).toBe('MODEL_UNREACHABLE')
    expect(failure.message).toMatch(
      /its name cannot be resolved\. Check base_url in \[providers\.stub\] and the network \((ENOTFOUND|EAI_AGAIN)\)\.$/,
    )
  })
})

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
