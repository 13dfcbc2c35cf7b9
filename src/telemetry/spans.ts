/**
 * What is told of the server to a collector of OpenTelemetry, besides the figures of /metrics: spans, and the metrics
 * of model calls that the conventions for generative AI name. A span has these attributes and no others, none of which
 * holds what people or models have said. docs/operations.md has the same tables, and a test compares the two.
 *
 *   invoke_agent                    a turn, from its message to its end, whichever processes run it
 *   ├─ plan                         a plan, with each call of the planner that it took
 *   │  └─ chat <model>              one request to a provider
 *   ├─ execute_tool <name>          a command, a skill, a tool or a delegated task
 *   ├─ chat <model>                 the other roles: the reviewer, the messenger, …
 *   ├─ embeddings <model>             texts as numbers, to find facts; also outside of turns
 *   ├─ commit                       what the turn has written
 *   └─ deliver                      an attempt to post a text to the webhook, also after the turn
 */

const GEN_AI = ['gen_ai.operation.name', 'error.type'] as const

/** By what the code calls them. `kind` is OpenTelemetry's. */
export const SPANS = {
  turn: {
    name: 'invoke_agent',
    kind: 'INTERNAL',
    attributes: [
      ...GEN_AI,
      'gen_ai.agent.name',
      'gen_ai.conversation.id',
      'factotum.turn.id',
      'factotum.turn.mode',
      'factotum.turn.resumed',
      'factotum.turn.ending',
    ],
  },
  plan: {
    name: 'plan',
    kind: 'INTERNAL',
    attributes: [...GEN_AI, 'gen_ai.agent.name', 'factotum.plan.attempt', 'factotum.plan.tasks'],
  },
  chat: {
    name: 'chat',
    kind: 'CLIENT',
    attributes: [
      ...GEN_AI,
      'gen_ai.provider.name',
      'gen_ai.request.model',
      'gen_ai.response.model',
      'gen_ai.response.finish_reasons',
      'gen_ai.usage.input_tokens',
      'gen_ai.usage.output_tokens',
      'gen_ai.usage.cache_read.input_tokens',
      'server.address',
      'server.port',
      'factotum.role',
    ],
  },
  embeddings: {
    name: 'embeddings',
    kind: 'CLIENT',
    attributes: [
      ...GEN_AI,
      'gen_ai.provider.name',
      'gen_ai.request.model',
      'gen_ai.request.encoding_formats',
      'gen_ai.response.model',
      'gen_ai.embeddings.dimension.count',
      'gen_ai.usage.input_tokens',
      'server.address',
      'server.port',
    ],
  },
  task: {
    name: 'execute_tool',
    kind: 'INTERNAL',
    attributes: [
      ...GEN_AI,
      'gen_ai.tool.name',
      'gen_ai.tool.type',
      'factotum.task.id',
      'factotum.task.type',
      'factotum.task.status',
    ],
  },
  commit: {
    name: 'commit',
    kind: 'CLIENT',
    attributes: ['db.system.name', 'factotum.commit.events', 'error.type'],
  },
  delivery: {
    name: 'deliver',
    kind: 'CLIENT',
    attributes: [
      'http.request.method',
      'http.response.status_code',
      'server.address',
      'factotum.delivery.id',
      'factotum.delivery.attempt',
      'error.type',
    ],
  },
} as const

const CALL = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model', 'gen_ai.response.model'] as const

/** Histograms, by what the code calls them; the boundaries are those that the conventions give. */
export const MEASURES = {
  modelDuration: {
    name: 'gen_ai.client.operation.duration',
    unit: 's',
    description: 'Duration of a request to a provider.',
    boundaries: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
    attributes: [...CALL, 'error.type'],
  },
  modelTokens: {
    name: 'gen_ai.client.token.usage',
    unit: '{token}',
    description: 'Tokens of a request to a provider, and of its answer.',
    boundaries: [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864],
    attributes: [...CALL, 'gen_ai.token.type'],
  },
} as const

export type SpanOf = keyof typeof SPANS
export type MeasureOf = keyof typeof MEASURES

type Value = string | number | boolean | readonly string[]
type Attributes<Name extends string> = { readonly [Key in Name]?: Value | undefined }

/** Those that a span may have; one that is undefined is left out. */
export type SpanAttributes<Of extends SpanOf> = Attributes<(typeof SPANS)[Of]['attributes'][number]>
/** Those by which a metric is told apart. */
export type MeasureAttributes<Of extends MeasureOf> = Attributes<(typeof MEASURES)[Of]['attributes'][number]>
