/** Requests that are too long, in the words in use for that. */
import { events, json, openAi, type ProviderShape } from './shape.ts'

export const TOO_LONG: readonly ProviderShape[] = [
  {
    provider: 'OpenAI',
    what: 'a context that is too long',
    status: 400,
    ...openAi("This model's maximum context length is 128000 tokens.", { code: 'context_length_exceeded' }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
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
    provider: 'Anthropic',
    what: 'a context that is too long with what may be written',
    status: 400,
    ...json({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length',
      },
    }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
  },
  {
    provider: 'Anthropic',
    what: 'a request of too many bytes',
    status: 413,
    ...json({
      type: 'error',
      error: { type: 'request_too_large', message: 'Request exceeds the maximum allowed number of bytes.' },
    }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
  },
  {
    provider: 'xAI',
    what: 'a context that is too long',
    status: 400,
    ...json({
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
  },
  {
    provider: 'Moonshot',
    what: 'a context that is too long',
    status: 400,
    ...openAi('Invalid request: Your request exceeded model token limit: 262144'),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
  },
  {
    provider: 'Z.ai',
    what: 'a context that is too long',
    status: 400,
    ...json({ error: { code: '1261', message: 'Prompt exceeds max length' } }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
  },
  {
    provider: 'DashScope',
    what: 'a context that is too long',
    status: 400,
    ...openAi('<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]', {
      code: 'invalid_parameter_error',
    }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
  },
  {
    provider: 'TGI',
    what: 'a context that is too long',
    status: 422,
    ...json({
      error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9000 `inputs` tokens',
      error_type: 'validation',
    }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
  },
  {
    provider: 'vLLM',
    what: 'a context that is too long',
    status: 400,
    ...json({
      error: {
        message: 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
    }),
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
  },
  {
    provider: 'a reverse proxy',
    what: 'a page of HTML for a request that is too large',
    status: 413,
    body: '<html><head><title>413 Request Entity Too Large</title></head></html>',
    type: 'text/html',
    becomes: { code: 'MODEL_BAD_REQUEST', says: /context_tokens/ },
  },
]
