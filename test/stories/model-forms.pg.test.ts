/**
 * In what form a model takes requests is found out once: for all processes and over restarts, until its settings
 * change.
 */
import { expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { answersIn, converse, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

const REFUSED = { status: 400, body: { error: { message: 'response_format json_schema is not supported' } } }
const THOUGHT = 'They want a greeting.'

const isRefused = ({ body }: StubCall): boolean => body.response_format?.type === 'json_schema'

function answer(call: StubCall): StubAnswer {
  if (isRefused(call)) return REFUSED
  return call.role === 'messenger' ? { pieces: [`${THOUGHT}\n`, '</think>\n\nIt printed hi.'] } : answerWell(call)
}

test('what a provider refused is not asked again by another process, nor after a restart, until its section changes', async () => {
  await using stub = await StubEndpoint.start({ by: answer })
  const refusedBy = async (story: Story): Promise<number> => {
    const before = stub.calls.length
    await converse(story.as('ada'), 'cli:form', 'Say hi')
    return stub.calls.slice(before).filter(isRefused).length
  }
  const toml = stubProvider(stub)
  await using first = await Story.begin({ config: { toml } })
  expect(await refusedBy(first)).toBe(1)
  expect(await refusedBy(first)).toBe(0)
  await first.app.stop()

  await using second = await Story.begin({ beside: first })
  const ada = second.as('ada')
  await send(ada, 'cli:other', 'Say hi')
  await using watch = watchAll(ada, 'cli:other')
  await turnEnd(watch)
  expect(stub.calls.filter(isRefused)).toHaveLength(1)
  // That it begins in its reasoning is known from its first answer, too.
  expect(answersIn(watch)).toEqual(['It printed hi.'])

  await second.reconfigure(
    storyConfig({ toml: toml.replace('[models]', 'headers = { "X-Title" = "Other" }\n[models]') }),
  )
  expect(await refusedBy(second)).toBe(1)

  const database = new Database({
    url: second.databaseUrl,
    maxConnections: 1,
    logger: createLogger({ level: 'silent', pretty: false }),
  })
  await database.query({ name: '', text: `UPDATE model_forms SET found_at = found_at - interval '31 days'` }, [])
  await database.close()
  await second.app.stop()
  await using third = await Story.begin({ beside: second })
  expect(await refusedBy(third)).toBe(1)
  expect(await refusedBy(third)).toBe(0)
})
