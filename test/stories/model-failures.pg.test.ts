/** What a model failed with last is shown to admins, until it answers again. */
import { expect, test } from 'vitest'
import { askOperators } from '../harness/ask-operators.ts'
import { converse, Story } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { ModelFailuresDocument } from '../generated/graphql.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint, type StubCall } from '../model/stub-endpoint.ts'

const KEY = 'sk-of-the-environment'

test('the last failure of each model is in the server query and in /ready, without secrets, until it answers', async () => {
  await using stub = await StubEndpoint.start({ by: answerWell })
  const toml = stubProvider(stub).replace('[models]', 'api_key_env = "STUB_KEY"\n[models]\nmessenger = "stub:writer"')
  await using story = await Story.begin({ config: { toml }, environment: { STUB_KEY: KEY } })
  const ada = story.as('ada')
  const shown = async () => (await ada.run(ModelFailuresDocument)).server.modelFailures
  const readiness = async () => {
    const answered = await askOperators(story.app.url, '/ready')
    return (await answered.json()) as { ready: boolean; checks: { model: object } }
  }
  await converse(ada, 'cli:fails', 'Say hi')
  expect(await shown()).toEqual([])
  expect(await readiness()).toMatchObject({ ready: true, checks: { model: { ok: true } } })

  const refused = { status: 401, body: { error: { message: `Incorrect API key: ${KEY}` } } }
  stub.follow({ by: (call: StubCall) => (call.model === 'writer' ? refused : answerWell(call)) })
  await converse(ada, 'cli:fails', 'Say hi')
  const problem = expect.stringContaining('STUB_KEY')
  const failure = { provider: 'stub', model: 'writer', code: 'MODEL_UNAUTHORIZED', problem }
  expect(await shown()).toEqual([{ ...failure, at: expect.stringMatching(/^\d{4}-.*Z$/) }])
  const detail = expect.stringMatching(/^The last call of stub:writer failed at .*Z \(MODEL_UNAUTHORIZED\): .*STUB_KEY/)
  expect(await readiness()).toMatchObject({ ready: true, checks: { model: { ok: false, detail } } })
  expect(JSON.stringify([await shown(), await readiness()])).not.toContain(KEY)
  const toBen = await story.as('ben').request(ModelFailuresDocument)
  expect([toBen.data, toBen.errors[0]?.extensions?.['code']]).toEqual([
    { server: { modelFailures: null } },
    'FORBIDDEN',
  ])

  stub.follow({ by: answerWell })
  await converse(ada, 'cli:fails', 'Say hi')
  expect(await shown()).toEqual([])
  expect(await readiness()).toMatchObject({ checks: { model: { ok: true } } })
})

test('what the log says of a failed call names the session and the turn that it was for', async () => {
  await using stub = await StubEndpoint.start({ always: { status: 401, body: { error: { message: 'no' } } } })
  const lines: Record<string, unknown>[] = []
  const log = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>)
  await using story = await Story.begin({ config: { toml: stubProvider(stub) }, log })
  await converse(story.as('ada'), 'cli:followed', 'Say hi')
  const { turnId } = lines.find(({ msg }) => msg === 'turn begins') ?? {}
  expect(turnId).toMatch(/^turn_/)
  expect(lines.filter(({ msg }) => String(msg).startsWith('planner failed:'))).toEqual([
    expect.objectContaining({ sessionId: 'cli:followed', turnId }),
  ])
})
