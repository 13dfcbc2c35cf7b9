/**
 * What of a trace goes beyond one turn: into the turns of delegated tasks, also when another process takes them over,
 * and on to whom they call. All of it is set by `.env` of the home alone.
 */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { SPANS } from '../../src/telemetry/spans.ts'
import { Receiver } from '../delivery/receiver.ts'
import {
  DelegationsDocument,
  OpenSessionDocument,
  SayDocument,
  StateFactDocument,
  StopTurnDocument,
} from '../generated/graphql.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { EmbeddingsEndpoint } from '../harness/embeddings-endpoint.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { tokenOf, turnEnd, watchAll } from '../harness/story.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'
import { Collector, type CollectedSpan } from '../telemetry/collector.ts'

const STATE = 'vendor=opaque-1,other@tenant=2'

let receiver: Receiver
let collector: Collector
let cluster: Cluster
beforeAll(async () => {
  receiver = await Receiver.start()
  collector = await Collector.start()
  cluster = await begin(approvalRules('effect = "require"\ncommand = "tee"'))
})
afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  await collector[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

async function begin(toml: string): Promise<Cluster> {
  const tokens = { ada: `webhook_secret = "${newWebhookSecret()}"` }
  const begun = await Cluster.begin({ config: { settings: { webhook_allow_list: ['127.0.0.1'] }, tokens, toml } })
  const lines = Object.entries(collector.environment).map(([name, value]) => `${name}=${value}`)
  await writeFile(begun.path('.env'), lines.join('\n'), { mode: 0o600 })
  return begun
}

const delegation = (task: string): string =>
  `tool: delegation__delegate ${JSON.stringify({ task, expect: 'What was written.' })}`

/** Says it from a span of the client's, whose trace id is returned. */
async function ask(server: ServerProcess, sessionId: string, content: string): Promise<string> {
  await clientOf(server, 'ada').run(OpenSessionDocument, { input: { id: sessionId, webhook: receiver.url() } })
  const traceId = randomBytes(16).toString('hex')
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${tokenOf('ada')}`,
      traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
      tracestate: STATE,
    },
    body: JSON.stringify({ query: String(SayDocument), variables: { input: { sessionId, content } } }),
  })
  expect(await response.json()).toMatchObject({ data: { sendMessage: { __typename: 'SendMessagePayload' } } })
  return traceId
}

async function childOf(server: ServerProcess, sessionId: string): Promise<string> {
  await using watch = watchAll(clientOf(server, 'ada'), sessionId)
  await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'DelegationEvent' && event.delegation.status === 'RUNNING',
  )
  const { delegations } = await clientOf(server, 'ada').run(DelegationsDocument, { filter: { sessionId } })
  return `delegation:${delegations.edges[0]?.node.id}`
}

async function untilDone(server: ServerProcess, sessionId: string): Promise<void> {
  await using watch = watchAll(clientOf(server, 'ada'), sessionId)
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
}

/** The one span of this name and session or task type in the trace, once it has been told of. */
async function spanOf(traceId: string, is: (span: CollectedSpan) => boolean): Promise<CollectedSpan> {
  const found = (): readonly CollectedSpan[] => collector.trace(traceId).filter(is)
  await collector.spans.until(() => found().length > 0)
  const [span, ...others] = found()
  expect(others).toEqual([])
  if (span === undefined) throw new Error('no such span')
  return span
}

const isTurnOf =
  (sessionId: string) =>
  ({ attributes }: CollectedSpan): boolean =>
    attributes['gen_ai.operation.name'] === 'invoke_agent' && attributes['gen_ai.conversation.id'] === sessionId
const isDelegated = ({ name }: CollectedSpan): boolean => name === 'execute_tool delegation__delegate'

test('the turn of a delegated task stands under the call that delegated it, also when both go on in another process', async () => {
  const first = await cluster.start()
  const traceId = await ask(first, 'cli:above', delegation('run: echo once | tee -a /dev/null'))
  const child = await childOf(first, 'cli:above')
  await using asking = watchAll(clientOf(first, 'ada'), child)
  const [approval] = await untilAsked(asking)
  const second = await cluster.start()
  await first.kill()

  await decide(clientOf(second, 'ada'), { id: approval?.id ?? '', approve: true })
  await untilDone(second, 'cli:above')
  const above = await spanOf(traceId, isTurnOf('cli:above'))
  const call = await spanOf(traceId, isDelegated)
  const below = await spanOf(traceId, isTurnOf(child))
  expect(call).toMatchObject({
    parent: above.spanId,
    isError: false,
    attributes: { 'factotum.task.type': 'TOOL', 'factotum.task.status': 'DONE' },
    resource: { 'process.pid': second.pid },
  })
  expect(below).toMatchObject({ parent: call.spanId, resource: { 'process.pid': second.pid } })
  expect(call.durationMs).toBeGreaterThanOrEqual(below.durationMs)
  const command = await spanOf(traceId, ({ name }) => name === 'execute_tool exec')
  expect(command.parent).toBe(below.spanId)
  await second.kill()
})

test('what others of the trace want to be handed on goes on with it, and a call that its turn gives up is told of', async () => {
  const server = await cluster.start()
  const ada = clientOf(server, 'ada')
  const traceId = await ask(server, 'cli:given-up', delegation('run: sleep 600'))
  const child = await childOf(server, 'cli:given-up')
  {
    await using below = watchAll(ada, child)
    await below.until(({ sessionEvents: event }) => event.__typename === 'TaskUpdateEvent')
  }
  await ada.run(StopTurnDocument, { input: { sessionId: 'cli:given-up' } })
  await using watch = watchAll(ada, 'cli:given-up')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'CANCELLED' })
  const call = await spanOf(traceId, isDelegated)
  expect(call).toMatchObject({ isError: true, attributes: { 'factotum.task.status': 'CANCELLED' } })
  expect(await spanOf(traceId, isTurnOf(child))).toMatchObject({ parent: call.spanId })
  const stored = await cluster.query<{ trace_state: string }>(
    'SELECT trace_state FROM messages WHERE session_id = $1',
    [child],
  )
  expect(stored).toEqual([{ trace_state: STATE }])
  await server.kill()
})

test('a request for embeddings has a span by its conventions, and hands the trace on', async () => {
  await using stub = await StubEndpoint.start({ by: answerWell })
  await using meanings = await EmbeddingsEndpoint.start()
  const embedder = `embedder = "meanings:words-1"\n[providers.meanings]\nbase_url = "${meanings.baseUrl}"\n`
  await using other = await begin(`${stubProvider(stub)}${embedder}`)
  const server = await other.start()
  await clientOf(server, 'ada').run(StateFactDocument, { input: { content: 'The disk holds 412 GB.' } })
  const isEmbedding = ({ name }: CollectedSpan): boolean => name === 'embeddings words-1'
  await collector.spans.until(() => collector.spans.all.some(isEmbedding))
  const alone = collector.spans.all.find(isEmbedding)
  expect(alone).toMatchObject({
    parent: null,
    isError: false,
    attributes: {
      'gen_ai.operation.name': 'embeddings',
      'gen_ai.provider.name': 'meanings',
      'gen_ai.request.model': 'words-1',
      'gen_ai.request.encoding_formats': ['float'],
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(meanings.baseUrl).port),
    },
  })
  expect(alone?.attributes['gen_ai.embeddings.dimension.count']).toBeGreaterThan(1)
  const known: readonly string[] = SPANS.embeddings.attributes
  expect(Object.keys(alone?.attributes ?? {}).filter((name) => !known.includes(name))).toEqual([])

  const traceId = await ask(server, 'cli:meaning', 'What fits on the disk?')
  await untilDone(server, 'cli:meaning')
  const turn = await spanOf(traceId, isTurnOf('cli:meaning'))
  const asked = await spanOf(traceId, isEmbedding)
  expect(asked.parent).toBe(turn.spanId)
  expect(meanings.calls.at(-1)?.headers).toMatchObject({
    traceparent: `00-${traceId}-${asked.spanId}-01`,
    tracestate: STATE,
  })
  const delivery = await spanOf(traceId, ({ name }) => name === 'deliver')
  expect(receiver.received.all.find(({ headers }) => headers['traceparent']?.includes(traceId))?.headers).toMatchObject(
    {
      traceparent: `00-${traceId}-${delivery.spanId}-01`,
      tracestate: STATE,
    },
  )
})
