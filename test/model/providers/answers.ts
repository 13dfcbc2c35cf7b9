/** Answers that hold a text, each in a way of its own. */
import { delta, events, finish, json, type ProviderShape } from './shape.ts'

const HI = 'Hi there.'
const whole = (message: object, more: object = {}): Pick<ProviderShape, 'body' | 'type'> =>
  json({ choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...more }] })

export const ANSWERS: readonly ProviderShape[] = [
  {
    provider: 'OpenAI',
    what: 'a stream',
    ...events(delta('Hi '), delta('there.'), finish('stop'), '[DONE]'),
    becomes: HI,
  },
  {
    provider: 'Azure OpenAI',
    what: 'a first event with filter results and no choice',
    ...events(
      { choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
      delta(HI),
      finish('stop'),
      '[DONE]',
    ),
    becomes: HI,
  },
  {
    provider: 'DeepSeek',
    what: 'reasoning in a field of its own',
    ...events(
      delta(null, { reasoning_content: 'Hmm. ' }),
      delta(HI, { reasoning_content: null }),
      finish('stop'),
      '[DONE]',
    ),
    becomes: HI,
  },
  {
    provider: 'DeepSeek',
    what: 'comments that keep the connection open',
    body: `: keep-alive\n\n: keep-alive\n\n${events(delta(HI), finish('stop'), '[DONE]').body}`,
    type: 'text/event-stream',
    becomes: HI,
  },
  {
    provider: 'OpenRouter',
    what: 'reasoning, its details, and comments',
    body: `: OPENROUTER PROCESSING\n\n${events(delta('', { reasoning: 'Hmm.', reasoning_details: [] }), delta(HI), finish('stop'), '[DONE]').body}`,
    type: 'text/event-stream',
    becomes: HI,
  },
  {
    provider: 'Ollama',
    what: 'reasoning within the text',
    ...events(
      delta('<think>'),
      delta('\nHmm.\n'),
      delta('</think>'),
      delta('\n\nHi '),
      delta('there.'),
      finish('stop'),
      '[DONE]',
    ),
    becomes: HI,
  },
  {
    provider: 'vLLM',
    what: 'reasoning without its first mark, whole',
    ...whole({ content: 'Hmm.\n</think>\n\nHi there.' }),
    becomes: HI,
  },
  {
    provider: 'llama.cpp',
    what: 'a chat template of gpt-oss left in the text',
    ...events(
      delta('<|channel|>analysis<|message|>Hmm.<|end|><|start|>assis'),
      delta('tant<|channel|>final<|message|>Hi there.'),
      finish('stop'),
      '[DONE]',
    ),
    becomes: HI,
  },
  {
    provider: 'Mistral',
    what: 'content as parts, with reasoning among them',
    ...whole({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hmm.' }] },
        { type: 'text', text: HI },
      ],
    }),
    becomes: HI,
  },
  {
    provider: 'Mistral',
    what: 'pieces of content as parts',
    ...events(
      delta([{ type: 'thinking', thinking: [{ type: 'text', text: 'Hmm.' }] }]),
      delta([{ type: 'text', text: 'Hi ' }]),
      delta('there.'),
      finish('stop'),
      '[DONE]',
    ),
    becomes: HI,
  },
  {
    provider: 'Moonshot',
    what: 'reasoning within marks of its own',
    ...whole({ content: '◁think▷Hmm.◁/think▷Hi there.' }),
    becomes: HI,
  },
  {
    provider: 'ByteDance Seed',
    what: 'reasoning within marks of its own',
    ...whole({ content: '<seed:think>Hmm.</seed:think>Hi there.' }),
    becomes: HI,
  },
  { provider: 'LiteLLM', what: 'a document although a stream was asked for', ...whole({ content: HI }), becomes: HI },
  {
    provider: 'LocalAI',
    what: 'no reason for the end, but [DONE]',
    ...events(delta('Hi '), delta('there.'), '[DONE]'),
    becomes: HI,
  },
  {
    provider: 'text-generation-webui',
    what: 'a reason that is an empty text',
    ...events({ choices: [{ delta: { content: HI }, finish_reason: '' }] }, '[DONE]'),
    becomes: HI,
  },
  { provider: 'TGI', what: 'the reason "eos_token"', ...events(delta(HI), finish('eos_token'), '[DONE]'), becomes: HI },
  {
    provider: 'a reverse proxy',
    what: 'a stream sent as text/plain',
    ...events(delta('Hi '), delta('there.'), finish('stop'), '[DONE]'),
    type: 'text/plain; charset=utf-8',
    becomes: HI,
  },
  {
    provider: 'a reverse proxy',
    what: 'a stream sent as application/json',
    ...events(delta(HI), finish('stop'), '[DONE]'),
    type: 'application/json',
    becomes: HI,
  },
  {
    provider: 'llama-cpp-python',
    what: 'CRLF, and no space after "data:"',
    body: events(delta(HI), finish('stop'), '[DONE]').body.replaceAll('data: ', 'data:').replaceAll('\n', '\r\n'),
    type: 'text/event-stream',
    becomes: HI,
  },
  {
    provider: 'Gemini',
    what: 'a role and the content in one event, with the end',
    ...events(
      {
        choices: [{ index: 0, delta: { role: 'assistant', content: HI }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      },
      '[DONE]',
    ),
    becomes: HI,
  },
  {
    provider: 'Fireworks',
    what: 'usage in every event',
    ...events(
      { ...delta(HI), usage: { prompt_tokens: 3, completion_tokens: 1 } },
      { ...finish('stop'), usage: { prompt_tokens: 3, completion_tokens: 2 } },
      '[DONE]',
    ),
    becomes: HI,
  },
  {
    provider: 'KoboldCpp',
    what: 'the text where completions had it',
    ...json({ choices: [{ index: 0, text: HI, finish_reason: 'stop' }] }),
    becomes: HI,
  },
  {
    provider: 'Perplexity',
    what: 'message and delta in each event',
    ...events(
      { choices: [{ delta: { content: HI }, finish_reason: 'stop' }], citations: ['https://example.org'] },
      '[DONE]',
    ),
    becomes: HI,
  },
  {
    provider: 'Azure OpenAI',
    what: 'results of the filter behind the end, without a delta',
    ...events(
      delta(HI),
      finish('stop'),
      { choices: [{ index: 0, finish_reason: null, content_filter_results: {}, content_filter_offsets: {} }] },
      '[DONE]',
    ),
    becomes: HI,
  },
  {
    provider: 'vLLM',
    what: 'reasoning in a field of its own',
    ...events(delta(null, { reasoning: 'Hmm.' }), delta(HI), finish('stop'), '[DONE]'),
    becomes: HI,
  },
  { provider: 'SambaNova', what: 'no [DONE]', ...events(delta(HI), finish('stop')), becomes: HI },
]
