/**
 * What a user is told when those who run the server have to mend something: a sentence and a reference, wherever it can
 * be read, and no address, path or key of the configuration. Admins are told the rest.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { must } from '../../src/platform/must.ts'
import { Receiver } from '../delivery/receiver.ts'
import * as api from '../generated/graphql.ts'
import { OPERATOR_WORDS } from '../harness/operator-words.ts'
import { passTime, schedule, soon, untilSchedule } from '../harness/schedules.ts'
import { addSkill } from '../harness/skills.ts'
import { converse, eventsOf, send, Story, storyConfig, watchAll, type StoryConfig } from '../harness/story.ts'

/** A place of the network in which nothing answers. */
const INSIDE = '127.0.0.1:1'
const provider = (more = ''): string =>
  `[providers.inside]\nbase_url = "http://${INSIDE}/v1"\n${more}[models]\nplanner = "inside:secret-model"\n`

const FORBIDDEN = [INSIDE, ...OPERATOR_WORDS]

/** All that Ben can read once his turn has ended, in one text. */
async function allThatBenReads(story: Story, sessionId: string, turnId: string): Promise<string> {
  const ben = story.as('ben')
  await using watch = watchAll(ben, sessionId)
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnCompletedEvent' && event.turnId === turnId)
  const read = [
    watch.received,
    await ben.run(api.TurnDocument, { id: turnId }),
    await ben.run(api.SessionDocument, { id: sessionId }),
    await ben.run(api.SessionPageDocument, { id: sessionId }),
    await ben.run(api.SessionsDocument, {}),
    await ben.run(api.SchedulesDocument, {}),
    await ben.run(api.ServerDocument),
    await ben.run(api.SkillsDocument),
  ]
  return JSON.stringify(read)
}

/** Ben is told `sentence` with the turn's id, reads nothing that he should not, and Ada reads `detail`. */
async function expectShown(
  story: Story,
  { sessionId, turnId }: { readonly sessionId: string; readonly turnId: string },
  { sentence, detail }: { readonly sentence: string; readonly detail: RegExp },
): Promise<void> {
  const text = await allThatBenReads(story, sessionId, turnId)
  for (const forbidden of [...FORBIDDEN, story.home]) expect(text).not.toContain(forbidden)
  const failure = `${sentence} (reference ${turnId}).`
  const { turn } = await story.as('ben').run(api.TurnDocument, { id: turnId })
  expect(turn?.failure).toBe(failure)
  expect(turn?.plans.flatMap(({ tasks }) => tasks).at(-1)?.output).toBe(failure)
  expect((await story.as('ada').run(api.TurnDocument, { id: turnId })).turn?.failure).toMatch(detail)
}

const SEE_TO_IT = 'an administrator has to see to it'

describe('of the provider', () => {
  const SECRET = newWebhookSecret()
  let story: Story
  beforeAll(async () => {
    const settings = { webhook_allow_list: ['127.0.0.1'] }
    const tokens = { ben: `webhook_secret = "${SECRET}"` }
    story = await Story.begin({ config: { settings, tokens, toml: provider() } })
  })
  afterAll(() => story[Symbol.asyncDispose]())

  test('that does not answer: the user, and the webhook', async () => {
    await using receiver = await Receiver.start()
    const ben = story.as('ben')
    await ben.run(api.OpenSessionDocument, { input: { id: '@ben:gone', webhook: receiver.url() } })
    const { id: turnId } = await converse(ben, '@ben:gone', 'Hello')
    const sentence = 'The language model cannot be reached at the moment; try again later'
    await expectShown(story, { sessionId: '@ben:gone', turnId }, { sentence, detail: /planner.*127\.0\.0\.1:1/ })
    const [post] = await receiver.received.until((all) => all.length > 0)
    expect(post?.body).toMatchObject({ content: `${sentence} (reference ${turnId}).` })
  })

  test('that does not answer: a group, and the run of a schedule', async () => {
    const [ben, ada] = [story.as('ben'), story.as('ada')]
    const source = { kind: 'cli', type: 'GROUP' as const }
    await ada.run(api.OpenSessionDocument, { input: { id: 'cli:team', source, participants: ['ben', 'cleo'] } })
    await ben.run(api.SendMessageDocument, { input: { sessionId: 'cli:team', content: 'Hello', mentioned: true } })
    await using watch = watchAll(ben, 'cli:team')
    const { sessionEvents: end } = await watch.until(
      ({ sessionEvents: event }) => event.__typename === 'TurnCompletedEvent',
    )
    const sentence = 'The language model cannot be reached at the moment; try again later'
    await expectShown(
      story,
      { sessionId: 'cli:team', turnId: must(end.turnId, 'a turn') },
      { sentence, detail: /inside/ },
    )

    const { id } = await schedule(ben, { content: 'Hello', runAt: soon(3600) })
    await passTime(story.databaseUrl, [id])
    const { runs, lastError } = await untilSchedule(ben, id, ({ runs }) => runs[0]?.status === 'FAILED')
    expect(runs[0]?.failure).toMatch(/^The language model cannot be reached.*\(reference turn_/)
    expect(lastError).toBe(runs[0]?.failure)
  })
})

/** How the server is set up wrong, what Ben asks, and what they are told. */
const CASES: readonly {
  readonly of: string
  readonly config?: StoryConfig
  readonly breakIt?: (story: Story) => Promise<void>
  readonly message: string
  readonly sentence: string
  readonly detail: RegExp
}[] = [
  {
    of: 'the configuration of the provider',
    config: { toml: provider('api_key_env = "INSIDE_KEY"\n') },
    message: 'Hello',
    sentence: `The language model cannot be used at the moment; ${SEE_TO_IT}`,
    detail: /INSIDE_KEY/,
  },
  {
    of: 'the configuration of a role',
    breakIt: async (story) => {
      await mkdir(story.path('roles'), { recursive: true })
      await writeFile(story.path('roles', 'planner.md'), ' ')
    },
    message: 'Hello',
    sentence: `The server is not set up rightly for this; ${SEE_TO_IT}`,
    detail: /roles\/planner\.md is empty/,
  },
  {
    of: 'the sandbox',
    breakIt: async (story) => {
      await rm(story.path('sandbox'), { recursive: true })
      await writeFile(story.path('sandbox'), 'no folder')
    },
    message: 'run: echo never',
    sentence: `Programs cannot be run here at the moment; ${SEE_TO_IT}`,
    detail: /^Task 1 could not be run: /,
  },
]

/** Commands of users cannot have a place to run in. */
const NO_DISK: (typeof CASES)[number] = {
  of: 'the storage of workspaces',
  breakIt: async (story) => {
    await rm(story.path('sessions'), { recursive: true, force: true })
    await writeFile(story.path('sessions'), 'no folder')
  },
  message: 'run: echo never',
  sentence: `The server cannot store files at the moment; ${SEE_TO_IT}`,
  detail: /^Task 1 could not be run: ENOTDIR.*sessions/,
}

test.each([...CASES, NO_DISK])('of $of: the user', async ({ config = {}, breakIt, message, sentence, detail }) => {
  await using story = await Story.begin({ config })
  await breakIt?.(story)
  const { id: turnId, status } = await converse(story.as('ben'), '@ben:broken', message)
  expect(status).toBe('FAILED')
  await expectShown(story, { sessionId: '@ben:broken', turnId }, { sentence, detail })
})

test('of the budget: the turn waits, and its user reads why', async () => {
  await using story = await Story.begin({ config: { toml: '[budgets]\nuser_tokens_per_day = 1\n' } })
  const ben = story.as('ben')
  await send(ben, '@ben:spent', 'Hello')
  await using watch = watchAll(ben, '@ben:spent')
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent')
  const [paused] = eventsOf(watch, 'TurnPausedEvent')
  const text = JSON.stringify(paused)
  expect(text).toContain('The budget of user ben (1 tokens a day) is used up for today.')
  for (const forbidden of [...FORBIDDEN, '[budgets]', story.home]) expect(text).not.toContain(forbidden)
})

test('of the storage of files: the task is done, and says that they were not kept', async () => {
  const lines: string[] = []
  await using story = await Story.begin({ log: (line) => lines.push(line) })
  await rm(story.path('pub'), { recursive: true, force: true })
  await writeFile(story.path('pub'), 'no folder')
  const message = 'run: mkdir -p pub; echo x > pub/report'
  const { id: turnId, tasks, status } = await converse(story.as('ben'), '@ben:files', message)
  expect([status, tasks[0]?.stderr]).toEqual(['DONE', 'pub/report was not published: the server could not keep it.'])
  const text = await allThatBenReads(story, '@ben:files', turnId)
  for (const forbidden of [...FORBIDDEN, story.home]) expect(text).not.toContain(forbidden)
  expect(lines.join('')).toContain(
    `A file could not be published: EEXIST: file already exists, mkdir '${story.path('pub')}'`,
  )
})

test('of a skill without its secret: the task, and what follows', async () => {
  await using story = await Story.begin()
  await story.reconfigure(storyConfig().replaceAll('skills = []', 'skills = "*"'))
  const manifest = 'run = "bin/weather"\n[kiso.skill.env]\nkey = { required = true }\n'
  addSkill(story.home, 'weather', { manifest, files: { 'bin/weather': '#!/bin/sh\necho sun\n' } })
  const { id: turnId, tasks } = await converse(story.as('ben'), '@ben:weather', 'skill: weather')
  expect(tasks[0]).toMatchObject({ status: 'FAILED', stderr: expect.stringMatching(/not set up completely/) as string })
  const text = await allThatBenReads(story, '@ben:weather', turnId)
  for (const forbidden of [...FORBIDDEN, 'SKILL_WEATHER_KEY', story.home]) expect(text).not.toContain(forbidden)
})
