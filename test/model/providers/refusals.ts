/** Errors, in the words of their senders: as a status, in a document with status 200, within a stream. */
import { delta, events, finish, json, type ProviderShape } from './shape.ts'

const openAi = (message: string, more: object = {}): Pick<ProviderShape, 'body' | 'type'> =>
  json({ error: { message, type: 'invalid_request_error', param: null, code: null, ...more } })

export const REFUSALS: readonly ProviderShape[] = [
  {
    provider: 'OpenAI',
    what: 'a wrong key',
    status: 401,
    ...openAi('Incorrect API key provided: sk-abc.', { code: 'invalid_api_key' }),
    becomes: { code: 'MODEL_UNAUTHORIZED', says: /401 Incorrect API key/ },
  },
  {
    provider: 'OpenAI',
    what: 'no credit',
    status: 429,
    ...openAi('You exceeded your current quota, please check your plan and billing details.', {
      code: 'insufficient_quota',
      type: 'insufficient_quota',
    }),
    becomes: { code: 'MODEL_QUOTA', says: /used up/ },
  },
  {
    provider: 'OpenAI',
    what: 'a context that is too long',
    status: 400,
    ...openAi("This model's maximum context length is 128000 tokens.", { code: 'context_length_exceeded' }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
  },
  {
    provider: 'Azure OpenAI',
    what: 'its content filter',
    status: 400,
    ...json({
      error: {
        message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: { hate: { filtered: true, severity: 'high' } },
        },
      },
    }),
    becomes: { code: 'MODEL_REFUSED', says: /because of its content/ },
  },
  {
    provider: 'Azure OpenAI',
    what: 'its content filter, in the middle of a stream',
    ...events(delta('Hi '), { choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] }, '[DONE]'),
    becomes: { code: 'MODEL_REFUSED', says: /content filter/ },
  },
  {
    provider: 'Azure OpenAI',
    what: 'an unknown deployment',
    status: 404,
    ...json({ error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } }),
    becomes: { code: 'MODEL_UNKNOWN', says: /\[models\] planner/ },
  },
  {
    provider: 'Azure OpenAI',
    what: 'a wrong key, without an error object',
    status: 401,
    ...json({ statusCode: 401, message: 'Unauthorized. Access token is missing, invalid, audience is incorrect.' }),
    becomes: { code: 'MODEL_UNAUTHORIZED', says: /Access token is missing/ },
  },
  {
    provider: 'Gemini',
    what: 'errors as a list',
    status: 404,
    ...json([
      { error: { code: 404, message: 'models/nope is not found for API version v1main.', status: 'NOT_FOUND' } },
    ]),
    becomes: { code: 'MODEL_UNKNOWN', says: /models\/nope is not found/ },
  },
  {
    provider: 'Gemini',
    what: 'a wrong key with status 400',
    status: 400,
    ...json([
      { error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
    ]),
    becomes: { code: 'MODEL_UNAUTHORIZED', says: /API key not valid/ },
  },
  {
    provider: 'Gemini',
    what: 'too many requests',
    status: 429,
    ...json([
      {
        error: { code: 429, message: 'Resource has been exhausted (e.g. check quota).', status: 'RESOURCE_EXHAUSTED' },
      },
    ]),
    becomes: { code: 'MODEL_OVERLOADED', says: /no more requests/ },
  },
  {
    provider: 'Gemini',
    what: 'a list of errors with status 200',
    ...json([
      { error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' } },
    ]),
    becomes: { code: 'MODEL_OVERLOADED', says: /503 The model is overloaded/ },
  },
  {
    provider: 'FastAPI',
    what: 'detail as a text',
    status: 401,
    ...json({ detail: 'Invalid token' }),
    becomes: { code: 'MODEL_UNAUTHORIZED', says: /Invalid token/ },
  },
  {
    provider: 'FastAPI',
    what: 'detail as a list',
    status: 422,
    ...json({ detail: [{ type: 'extra_forbidden', loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' }] }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /422 Extra inputs are not permitted/ },
  },
  {
    provider: 'Mistral',
    what: 'a message that is an object',
    status: 422,
    ...json({
      object: 'error',
      message: { detail: [{ type: 'missing', loc: ['body', 'model'], msg: 'Field required' }] },
      type: 'invalid_request_message_order',
      code: 3230,
    }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /Field required/ },
  },
  {
    provider: 'Mistral',
    what: 'a wrong key',
    status: 401,
    ...json({ message: 'Unauthorized', request_id: 'abc' }),
    becomes: { code: 'MODEL_UNAUTHORIZED', says: /Unauthorized/ },
  },
  {
    provider: 'OpenRouter',
    what: 'an error of whom it asked',
    status: 400,
    ...json({
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: '{"error":{"message":"max_tokens is too large"}}', provider_name: 'Parasail' },
      },
    }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /Provider returned error: max_tokens is too large/ },
  },
  {
    provider: 'OpenRouter',
    what: 'no credit',
    status: 402,
    ...json({ error: { message: 'Insufficient credits', code: 402 } }),
    becomes: { code: 'MODEL_QUOTA', says: /Insufficient credits/ },
  },
  {
    provider: 'OpenRouter',
    what: 'moderation',
    status: 403,
    ...json({
      error: {
        message: 'Your chosen model requires moderation and your input was flagged',
        code: 403,
        metadata: { reasons: ['violence'] },
      },
    }),
    becomes: { code: 'MODEL_REFUSED', says: /flagged/ },
  },
  {
    provider: 'OpenRouter',
    what: 'nothing that the account allows',
    status: 404,
    ...json({ error: { message: 'No endpoints found matching your data policy', code: 404 } }),
    becomes: { code: 'MODEL_UNKNOWN', says: /settings of the account/ },
  },
  {
    provider: 'OpenRouter',
    what: 'an error within a choice of a stream',
    ...events(delta('Hi'), {
      choices: [{ delta: {}, finish_reason: 'error', error: { code: 502, message: 'Upstream disconnected' } }],
    }),
    becomes: { code: 'MODEL_OVERLOADED', says: /502 Upstream disconnected/ },
  },
  {
    provider: 'OpenRouter',
    what: 'an error with status 200',
    ...json({ error: { message: 'Rate limit exceeded: free-models-per-min.', code: 429 } }),
    becomes: { code: 'MODEL_OVERLOADED', says: /429 Rate limit exceeded/ },
  },
  {
    provider: 'OpenRouter',
    what: 'the reason "error" and nothing more',
    ...events(delta('Hi'), finish('error'), '[DONE]'),
    becomes: { code: 'MODEL_OVERLOADED', says: /failed while it worked/ },
  },
  {
    provider: 'vLLM',
    what: 'no error object',
    status: 404,
    ...json({
      object: 'error',
      message: 'The model `nope` does not exist.',
      type: 'NotFoundError',
      param: null,
      code: 404,
    }),
    becomes: { code: 'MODEL_UNKNOWN', says: /has no model/ },
  },
  {
    provider: 'vLLM',
    what: 'an error in the middle of a stream',
    ...events(
      delta('Hi'),
      { object: 'error', message: 'EngineDeadError', type: 'InternalServerError', code: 500 },
      '[DONE]',
    ),
    becomes: { code: 'MODEL_OVERLOADED', says: /500 EngineDeadError/ },
  },
  {
    provider: 'Ollama',
    what: 'an error that is a text',
    status: 404,
    ...json({ error: 'model "nope" not found, try pulling it first' }),
    becomes: { code: 'MODEL_UNKNOWN', says: /try pulling it first/ },
  },
  {
    provider: 'Ollama',
    what: 'too little memory',
    status: 500,
    ...json({
      error: {
        message: 'model requires more system memory (8.4 GiB) than is available (5.6 GiB)',
        type: 'api_error',
        param: null,
        code: null,
      },
    }),
    becomes: { code: 'MODEL_UNREACHABLE', says: /too little memory.*Choose a smaller model/ },
  },
  {
    provider: 'LM Studio',
    what: 'no model loaded',
    status: 404,
    ...json({
      error: {
        message: 'No models loaded. Please load a model in the developer page or use the `lms load` command.',
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    }),
    becomes: { code: 'MODEL_UNKNOWN', says: /No models loaded/ },
  },
  {
    provider: 'LM Studio',
    what: 'an error as an event with a name',
    body: `event: error\n${events({ error: { message: 'The model has crashed. (Exit code: 6)' } }).body}`,
    type: 'text/event-stream',
    becomes: { code: 'MODEL_OVERLOADED', says: /has crashed/ },
  },
  {
    provider: 'LM Studio',
    what: 'an error that is a text, with status 200',
    ...json({ error: 'Unexpected endpoint or method. (POST /chat/completions)' }),
    becomes: { code: 'MODEL_OVERLOADED', says: /Unexpected endpoint/ },
  },
  {
    provider: 'llama.cpp',
    what: 'a model that is loading',
    status: 503,
    ...json({ error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }),
    becomes: { code: 'MODEL_OVERLOADED', says: /still loading/ },
  },
  {
    provider: 'llama.cpp',
    what: 'a context that is too long',
    status: 400,
    ...json({
      error: {
        code: 400,
        message: 'the request exceeds the available context size. try increasing the context size',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
  },
  {
    provider: 'Groq',
    what: 'JSON that the model did not manage',
    status: 400,
    ...json({
      error: {
        message: "Failed to validate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
        type: 'invalid_request_error',
        code: 'json_validate_failed',
        failed_generation: '{',
      },
    }),
    becomes: { code: 'MODEL_BAD_OUTPUT', says: /did not write the JSON/ },
  },
  {
    provider: 'Groq',
    what: 'a request that is too large',
    status: 413,
    ...json({
      error: {
        message: 'Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /longer than/ },
  },
  {
    provider: 'OpenAI',
    what: 'more in one request than a minute allows',
    status: 429,
    ...openAi(
      'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 37211.',
      { type: 'tokens', code: 'rate_limit_exceeded' },
    ),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /longer than/ },
  },
  {
    provider: 'OpenAI',
    what: 'a context that is too long, within a stream',
    ...events({ error: { message: 'Too much.', type: null, code: 'context_length_exceeded' } }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
  },
  {
    provider: 'OpenAI',
    what: 'no credit, within a stream',
    ...events({ error: { message: 'No more.', type: null, code: 'insufficient_quota' } }),
    becomes: { code: 'MODEL_QUOTA', says: /used up/ },
  },
  {
    provider: 'OpenAI',
    what: 'a wrong request, within a stream',
    ...events({ error: { message: 'No such voice.', type: 'invalid_request_error', code: null } }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /No such voice/ },
  },
  {
    provider: 'DeepSeek',
    what: 'a machine that is too busy to go on, within a stream',
    ...events(delta('Hi '), finish('insufficient_system_resource'), '[DONE]'),
    becomes: { code: 'MODEL_OVERLOADED', says: /failed while it worked/ },
  },
  {
    provider: 'Z.ai',
    what: 'a broken network behind it, within a stream',
    ...events(delta('Hi '), finish('network_error'), '[DONE]'),
    becomes: { code: 'MODEL_OVERLOADED', says: /failed while it worked/ },
  },
  {
    provider: 'SGLang',
    what: 'an answer that it gave up, within a stream',
    ...events(delta('Hi '), finish('abort'), '[DONE]'),
    becomes: { code: 'MODEL_OVERLOADED', says: /failed while it worked/ },
  },
  {
    provider: 'OpenRouter',
    what: 'an error beside an empty list of choices, within a stream',
    ...events(delta('Hi '), { choices: [], error: { code: 502, message: 'Upstream went away.' } }, '[DONE]'),
    becomes: { code: 'MODEL_OVERLOADED', says: /Upstream went away/ },
  },
  {
    provider: 'DeepSeek',
    what: 'no credit',
    status: 402,
    ...openAi('Insufficient Balance', { type: 'unknown_error' }),
    becomes: { code: 'MODEL_QUOTA', says: /Insufficient Balance/ },
  },
  {
    provider: 'Anthropic',
    what: 'too much to do',
    status: 529,
    ...json({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    becomes: { code: 'MODEL_OVERLOADED', says: /529 Overloaded/ },
  },
  {
    provider: 'Anthropic',
    what: 'no credit',
    status: 400,
    ...json({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the Anthropic API.' },
    }),
    becomes: { code: 'MODEL_QUOTA', says: /credit balance is too low/ },
  },
  {
    provider: 'xAI',
    what: 'code and error as texts',
    status: 400,
    ...json({
      code: 'Client specified an invalid argument',
      error: 'Incorrect API key provided: xx. You can obtain an API key from https://console.x.ai.',
    }),
    becomes: { code: 'MODEL_UNAUTHORIZED', says: /Incorrect API key/ },
  },
  {
    provider: 'Cloudflare',
    what: 'a list under "errors"',
    status: 400,
    ...json({
      success: false,
      errors: [{ message: 'AiError: No such model @cf/nope', code: 5007 }],
      result: {},
      messages: [],
    }),
    becomes: { code: 'MODEL_UNKNOWN', says: /No such model/ },
  },
  {
    provider: 'Hugging Face',
    what: 'a model that is loading',
    status: 503,
    ...json({ error: 'Model mistralai/Mistral-7B is currently loading', estimated_time: 20 }),
    becomes: { code: 'MODEL_OVERLOADED', says: /currently loading/ },
  },
  {
    provider: 'DashScope',
    what: 'its inspection of data',
    status: 400,
    ...openAi('Input data may contain inappropriate content.', { code: 'data_inspection_failed' }),
    becomes: { code: 'MODEL_REFUSED', says: /inappropriate content/ },
  },
  {
    provider: 'a reverse proxy',
    what: 'a page of HTML',
    status: 502,
    body: '<html><head><title>502 Bad Gateway</title></head></html>',
    type: 'text/html',
    becomes: { code: 'MODEL_OVERLOADED', says: /502/ },
  },
  {
    provider: 'a reverse proxy',
    what: 'a page of HTML with status 200',
    body: '<html>Please sign in</html>',
    type: 'text/html',
    becomes: { code: 'MODEL_BAD_OUTPUT', says: /base_url/ },
  },
  {
    provider: 'any',
    what: 'a stream that breaks off',
    ...events(delta('Hi')),
    becomes: { code: 'MODEL_UNREACHABLE', says: /broke off/ },
  },
]
