/**
 * What a collector of OpenTelemetry is told of turns, whichever processes run them, and that a server without one, or
 * with one that is away, does its work as before.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { SPANS, type SpanOf } from '../../src/telemetry/spans.ts'
import { Receiver } from '../delivery/receiver.ts'
import { OpenSessionDocument, SayDocument } from '../generated/graphql.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { tokenOf, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_PLAN } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'
import { Collector, type CollectedSpan } from '../telemetry/collector.ts'

const KEY = 'sk-of-the-environment'
/** Said, planned, run, printed and answered; told of to no collector. */
const SAID = 'the harvest of 1921'
const LOADED_MODULES = fileURLToPath(new URL('../telemetry/loaded-modules.js', import.meta.url))

/** A command that never ends, when the message asks for it; otherwise one that prints. */
function answerWith(call: StubCall): StubAnswer {
  if (call.role === 'messenger') return { pieces: ['It was ', `${SAID}.`] }
  if (call.role !== 'planner') return answerWell(call)
  const [command, message] = GOOD_PLAN.tasks
  const detail = call.user.includes('for ever') ? 'echo begun; sleep 600' : `echo ${SAID}`
  return { content: { ...GOOD_PLAN, tasks: [{ ...command, detail }, message] } }
}

let stub: StubEndpoint
let receiver: Receiver
let collector: Collector
let cluster: Cluster
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWith })
  receiver = await Receiver.start()
  collector = await Collector.start()
  const toml = stubProvider(stub).replace('[models]', 'api_key_env = "STUB_KEY"\n[models]')
  const tokens = { ada: `webhook_secret = "${newWebhookSecret()}"` }
  cluster = await Cluster.begin({ config: { settings: { webhook_allow_list: ['127.0.0.1'] }, tokens, toml } })
})
afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  await collector[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await stub.close()
})

/** One process at a time has the turns: the one before is killed, unless it has stopped. */
let running: ServerProcess | null = null
async function start(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  await running?.kill()
  running = await cluster.start({ env: { STUB_KEY: KEY, ...env } })
  return running
}

interface Parent {
  readonly traceId: string
  readonly spanId: string
}

const newParent = (): Parent => ({ traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') })

/** Says it in a session with a webhook, from a span of the client's, and returns how the turn ended. */
async function ask(
  server: ServerProcess,
  { sessionId, content, parent }: { sessionId: string; content: string; parent: Parent | null },
): Promise<void> {
  await clientOf(server, 'ada').run(OpenSessionDocument, { input: { id: sessionId, webhook: receiver.url() } })
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${tokenOf('ada')}`,
      ...(parent === null ? {} : { traceparent: `00-${parent.traceId}-${parent.spanId}-01` }),
    },
    body: JSON.stringify({ query: String(SayDocument), variables: { input: { sessionId, content } } }),
  })
  expect(await response.json()).toMatchObject({ data: { sendMessage: { __typename: 'SendMessagePayload' } } })
}

async function untilDone(server: ServerProcess, sessionId: string): Promise<void> {
  await using watch = watchAll(clientOf(server, 'ada'), sessionId)
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
}

const named = (of: SpanOf, spans: readonly CollectedSpan[]): CollectedSpan[] =>
  spans.filter(({ name }) => name === SPANS[of].name || name.startsWith(`${SPANS[of].name} `))

/** Waits until the turn, and that its text was posted, have been told. */
async function traceOf(traceId: string): Promise<readonly CollectedSpan[]> {
  await collector.spans.until(() => {
    const spans = collector.trace(traceId)
    return named('turn', spans).length > 0 && named('delivery', spans).length > 0
  })
  return collector.trace(traceId)
}

test("a message's trace goes through its turn, out to the model and the webhook, and tells nothing that was said", async () => {
  const server = await start(collector.environment)
  const parent = newParent()
  await ask(server, { sessionId: 'cli:traced', content: `What of ${SAID}?`, parent })
  await untilDone(server, 'cli:traced')
  const spans = await traceOf(parent.traceId)
  const [turn, ...turns] = named('turn', spans)
  expect(turns).toEqual([])
  expect(turn).toMatchObject({
    name: 'invoke_agent factotum',
    parent: parent.spanId,
    isError: false,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': 'cli:traced',
      'factotum.turn.ending': 'Done',
      'factotum.turn.resumed': false,
    },
    resource: { 'service.name': 'factotum', 'process.pid': server.pid },
  })
  const [plan] = named('plan', spans)
  expect(plan).toMatchObject({ parent: turn?.spanId, attributes: { 'factotum.plan.tasks': 2 } })
  const chats = named('chat', spans)
  expect(chats.map(({ parent: under, attributes }) => [attributes['factotum.role'], under])).toEqual([
    ['planner', plan?.spanId],
    ['reviewer', turn?.spanId],
    ['messenger', turn?.spanId],
  ])
  const { port } = new URL(stub.baseUrl)
  expect(chats[0]?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'stub',
    'gen_ai.request.model': 'stub-1',
    'gen_ai.response.model': 'stub',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 20,
    'gen_ai.usage.cache_read.input_tokens': 40,
    'server.address': '127.0.0.1',
    'server.port': Number(port),
    'factotum.role': 'planner',
  })
  expect(named('task', spans)).toMatchObject([
    {
      name: 'execute_tool exec',
      parent: turn?.spanId,
      attributes: { 'gen_ai.tool.name': 'exec', 'factotum.task.type': 'EXEC', 'factotum.task.status': 'DONE' },
    },
  ])
  expect(named('commit', spans).length).toBeGreaterThan(1)
  expect(new Set(named('commit', spans).map(({ parent: under }) => under))).toEqual(new Set([turn?.spanId]))
  const [delivery] = named('delivery', spans)
  expect(delivery).toMatchObject({ parent: turn?.spanId, attributes: { 'http.response.status_code': 204 } })

  const header = ({ traceId, spanId }: CollectedSpan): string => `00-${traceId}-${spanId}-01`
  expect(stub.calls.map(({ headers }) => headers['traceparent'])).toEqual(chats.map(header))
  expect(receiver.received.all.map(({ headers }) => headers['traceparent'])).toEqual(
    named('delivery', spans).map(header),
  )

  const line = await server.logged('turn ends')
  expect(line).toMatchObject({ trace_id: parent.traceId, span_id: turn?.spanId })
  expectOnlyKnown(collector.spans.all)
})

test('the figures of /metrics are sent under their own names, and those of model calls under the names of the conventions', async () => {
  const latest = (name: string) => collector.points.all.findLast((point) => point.name === name)
  const counts = ['factotum_model_call_seconds', 'gen_ai.client.operation.duration', 'gen_ai.client.token.usage']
  await collector.points.until(
    () =>
      latest('factotum_turns_total')?.value === 1 &&
      counts.every((name) => latest(name)?.histogram?.count === 3) &&
      latest('factotum_outbox_pending')?.value === 0,
  )
  expect(latest('factotum_turns_total')).toMatchObject({ attributes: { status: 'Done' } })
  expect(latest('factotum_turn_seconds')?.histogram).toMatchObject({ count: 1 })
  const { bucketCounts = [] } = latest('factotum_model_call_seconds')?.histogram ?? {}
  expect(bucketCounts.reduce((sum, one) => sum + one, 0)).toBe(3)
  expect(latest('gen_ai.client.operation.duration')).toMatchObject({
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'stub', 'gen_ai.request.model': 'stub-1' },
    histogram: { count: 3 },
  })
  const output = collector.points.all.findLast(({ attributes }) => attributes['gen_ai.token.type'] === 'output')
  expect(output).toMatchObject({ name: 'gen_ai.client.token.usage', histogram: { count: 3, sum: 60 } })
})

test('after kill -9 the trace goes on in the process that takes the turn over: one span of the turn, from its start', async () => {
  const first = await start(collector.environment)
  const parent = newParent()
  const begunAt = Date.now()
  await ask(first, { sessionId: 'cli:killed', content: 'Do it for ever', parent })
  {
    await using watch = watchAll(clientOf(first, 'ada'), 'cli:killed')
    await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TaskOutputEvent')
  }
  await collector.spans.until(() => named('plan', collector.trace(parent.traceId)).length > 0)
  await first.kill()
  expect(named('turn', collector.trace(parent.traceId))).toEqual([])

  const second = await start(collector.environment)
  await untilDone(second, 'cli:killed')
  const spans = await traceOf(parent.traceId)
  const [turn, ...turns] = named('turn', spans)
  expect(turns).toEqual([])
  expect(turn).toMatchObject({
    parent: parent.spanId,
    attributes: { 'factotum.turn.resumed': true },
    resource: { 'process.pid': second.pid },
  })
  expect(turn?.durationMs).toBeGreaterThan((Date.now() - begunAt) / 2)
  const [plan] = named('plan', spans)
  expect(plan).toMatchObject({ parent: turn?.spanId, resource: { 'process.pid': first.pid } })
  expect(named('delivery', spans)[0]).toMatchObject({ parent: turn?.spanId })

  second.signal('SIGTERM')
  expect(await second.ended).toMatchObject({ code: 0 })
})

test('nothing that a collector was sent is a secret or was said', async () => {
  const server = await start(collector.environment)
  await ask(server, { sessionId: `cli:${KEY}`, content: 'Hello', parent: null })
  await untilDone(server, `cli:${KEY}`)
  server.signal('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0 })
  const [turn] = named(
    'turn',
    collector.spans.all.filter(({ resource }) => resource['process.pid'] === server.pid),
  )
  expect(turn).toMatchObject({ parent: null, attributes: { 'gen_ai.conversation.id': 'cli:[REDACTED]' } })
  const sent = Buffer.concat(collector.bodies.map(({ bytes }) => bytes)).toString()
  expect(sent).toContain('cli:traced')
  for (const never of [KEY, SAID, 'echo', 'What of', tokenOf('ada'), 'for ever']) expect(sent).not.toContain(never)
})

test('in protobuf, where nothing else is said; what is left is sent as the server stops', async () => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT = '' } = collector.environment
  const before = collector.bodies.length
  const server = await start({ OTEL_EXPORTER_OTLP_ENDPOINT })
  await ask(server, { sessionId: 'cli:proto', content: 'Hello', parent: null })
  await untilDone(server, 'cli:proto')
  server.signal('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0 })
  const sent = collector.bodies.slice(before)
  for (const path of ['/v1/traces', '/v1/metrics']) {
    const body = sent.find((one) => one.path === path)
    expect(body).toMatchObject({ type: 'application/x-protobuf' })
    expect(body?.bytes.includes(path === '/v1/traces' ? 'invoke_agent factotum' : 'factotum_turns_total')).toBe(true)
  }
})

test('a collector that is away, or takes everything and never answers, costs a line of the log and no turn', async () => {
  const silent = createServer(() => undefined)
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const { port } = silent.address() as AddressInfo
  const server = await start({
    ...collector.environment,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `http://127.0.0.1:${port}/v1/metrics`,
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '500',
    // A stop that waited for it would not end before the test does.
    OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '600000',
  })
  for (const turn of ['one', 'two']) {
    await ask(server, { sessionId: `cli:away-${turn}`, content: 'Hello', parent: null })
    await untilDone(server, `cli:away-${turn}`)
  }
  await server.logged('the collector takes no telemetry; what it misses is lost, and turns do not wait for it')
  server.signal('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0 })
  expect(server.logs.filter(({ msg }) => msg.includes('collector'))).toHaveLength(2)
  silent.close()
})

test('without a collector no package of OpenTelemetry is loaded; with one it is', async () => {
  const env = { NODE_OPTIONS: `--import=${LOADED_MODULES}`, LOADED_MODULES: cluster.path('modules') }
  const server = await start(env)
  await ask(server, { sessionId: 'cli:without', content: 'Hello', parent: newParent() })
  await untilDone(server, 'cli:without')
  expect(loadedOf(cluster.path('modules'))).toEqual([])
  expect((await server.logged('turn ends'))['trace_id']).toBeUndefined()
  expect(stub.calls.at(-1)?.headers['traceparent']).toBeUndefined()
  await server.kill()

  const other = await start({ ...env, ...collector.environment })
  expect(loadedOf(cluster.path('modules')).length).toBeGreaterThan(0)
  await other.kill()
})

/** Files of the server that hold the SDK or an exporter. The package "api" is prom-client's, too, and does nothing. */
function loadedOf(list: string): string[] {
  const files = readFileSync(list, 'utf8')
    .split('\n')
    .filter((url) => url.startsWith('file:'))
  const holdsSdk = /^\/\/ node_modules\/@opentelemetry\/(?!api\/)/m
  return files.filter((url) => holdsSdk.test(readFileSync(new URL(url), 'utf8')))
}

/** No attribute that the table does not have. Those of embeddings are in traces-across-turns.pg.test.ts. */
function expectOnlyKnown(spans: readonly CollectedSpan[]): void {
  const { embeddings: _, ...here } = SPANS
  for (const of of Object.keys(here) as (keyof typeof here)[]) {
    const known: readonly string[] = SPANS[of].attributes
    const used = named(of, spans).flatMap(({ attributes }) => Object.keys(attributes))
    expect(used.length).toBeGreaterThan(0)
    expect(used.filter((name) => !known.includes(name))).toEqual([])
  }
}
