/** Commands of plugins, typed and written by models, and tools that plugins call. */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTracker } from '../../examples/plugins/issue-tracker/stand-in.ts'
import { OpenSessionDocument } from '../generated/graphql.ts'
import { addExamplePlugin, addPlugin, read, select, until, update } from '../harness/plugins.ts'
import { answersIn, converse, eventsOf, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { PATIENCE } from '../harness/patience.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_PLAN } from '../model/good-answers.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'

/** A plan that only answers. */
const TALK = { ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.slice(1) }

let story: Story
beforeAll(async () => {
  story = await Story.begin()
  addPlugin(story.home, 'notes', 'notes.ts')
  addExamplePlugin(story.home, 'clock')
  for (const name of ['notes', 'clock']) {
    await until(story, name, 'DISABLED')
    await update(story, { name, enabled: true })
    await until(story, name, 'READY')
  }
  for (const [id, mode] of [
    ['web:commands', 'PLAN'],
    ['web:chat', 'CHAT'],
  ] as const)
    await story.as('ada').run(OpenSessionDocument, { input: { id, mode } })
})
afterAll(() => story[Symbol.asyncDispose]())

test('a typed command alone is answered by its plugin, and no model is asked', async () => {
  const ada = story.as('ada')
  await using watch = watchAll(ada, 'web:commands')
  await send(ada, 'web:commands', '/time Europe/Berlin')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE', commandsHandled: ['time'] })
  expect(eventsOf(watch, 'PipelineStepEvent').map(({ step }) => step)).toEqual(['RECEIVED', 'COMMANDS', 'COMPLETE'])
  expect(answersIn(watch)).toEqual([expect.stringMatching(/ 20\d\d at \d\d:\d\d$/)])
  expect(await select(story, `SELECT commands_handled, model_calls, plugin_work FROM turns`)).toEqual([
    { commands_handled: ['time'], model_calls: 0, plugin_work: null },
  ])
})

test('what follows a command is served without it; what is no command is ordinary text', async () => {
  const ada = story.as('ada')
  for (const sessionId of ['web:commands', 'web:chat']) {
    const turn = await converse(ada, sessionId, '/time UTC\nrun: echo hi')
    expect(turn.answers[0]).toMatch(/ 20\d\d at \d\d:\d\d$/)
    expect(turn.tasks.filter(({ type }) => type === 'EXEC')).toMatchObject([{ status: 'DONE', output: 'hi\n' }])
    expect(turn.answers.join('\n')).not.toContain('/time')
    const other = await converse(ada, sessionId, '/usr/bin/env is there\n/time UTC')
    expect(other.answers.join('\n')).toContain('/usr/bin/env is there')
  }
  expect(await select(story, `SELECT content FROM messages WHERE content LIKE '/time UTC%' LIMIT 1`)).toEqual([
    { content: '/time UTC\nrun: echo hi' },
  ])
})

test('a model may write only commands that are declared for it, and where no approval is asked for', async () => {
  const ada = story.as('ada')
  await using watch = watchAll(ada, 'web:chat')
  const turn = await converse(ada, 'web:chat', `run: printf '/note milk\\n/time UTC\\n/note milk\\n'`)
  const text = turn.answers.at(-1) ?? ''
  expect(text).toContain('\n/time UTC')
  expect(text).not.toContain('/note')
  expect(text).toMatch(/\n\nNoted milk for ada, MODEL, number 1\.$/)
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnCompletedEvent' && event.turnId === turn.id)
  expect(eventsOf(watch, 'TurnCompletedEvent').at(-1)).toMatchObject({ commandsHandled: ['note'] })
  const pieces = eventsOf(watch, 'TextDeltaEvent').map(({ delta }) => delta)
  expect(pieces.join('')).not.toContain('/note')
  const rule = '\n[[approvals.rules]]\neffect = "require"\ntool = "notes__note"\n'
  await story.reconfigure(storyConfig() + rule)
  const asked = await converse(ada, 'web:chat', `run: printf '/note bread\\n'`)
  expect(asked.answers.join('\n')).not.toMatch(/Noted bread|\/note/)
  expect(await select(story, `SELECT value FROM plugin_state WHERE plugin_name = 'notes'`)).toEqual([{ value: 1 }])
  await story.reconfigure(storyConfig())
})

test('a task that a model delegates is typed by no person: a command in it is not carried out', async () => {
  const ada = story.as('ada')
  const call = JSON.stringify({ task: '/time UTC', expect: 'The time.' })
  const turn = await converse(ada, 'web:chat', `tool: delegation__delegate ${call}`)
  expect(turn.tasks).toMatchObject([{ tool: 'delegation__delegate', status: 'DONE' }, { type: 'MSG' }])
  const childs = `SELECT commands_handled FROM turns WHERE session_id LIKE 'delegation:%'`
  expect(await select(story, childs)).toEqual([{ commands_handled: [] }])
})

test('a model that writes nothing but a command that has nothing to say says nothing', async () => {
  await using stub = await StubEndpoint.start({
    by: (call) =>
      call.role === 'messenger' ? '/note bread' : call.role === 'planner' ? { content: TALK } : answerWell(call),
  })
  const rule = '\n[[approvals.rules]]\neffect = "require"\ntool = "notes__note"\n'
  await using place = await Story.begin({ config: { toml: stubProvider(stub) + rule } })
  addPlugin(place.home, 'notes', 'notes.ts')
  await until(place, 'notes', 'DISABLED')
  await update(place, { name: 'notes', enabled: true })
  await until(place, 'notes', 'READY')
  const ada = place.as('ada')
  for (const mode of ['PLAN', 'CHAT'] as const) {
    const id = `web:nothing-${mode.toLowerCase()}`
    await ada.run(OpenSessionDocument, { input: { id, mode } })
    await using watch = watchAll(ada, id)
    await send(ada, id, 'Is there anything?')
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
    expect(answersIn(watch)).toEqual([])
  }
  expect(await select(place, 'SELECT output, suppressed FROM tasks')).toEqual([
    { output: null, suppressed: true },
    { output: null, suppressed: true },
  ])
})

test('a plugin calls tools that read, as the user of the turn, and no others', async () => {
  const ask = async (name: string, as: 'ada' | 'ben' = 'ada'): Promise<string> => {
    const sessionId = `@${as}:ask`
    await story.as(as).run(OpenSessionDocument, { input: { id: sessionId, mode: 'CHAT' } })
    const call = JSON.stringify({ name, args: { zone: 'UTC' } })
    const turn = await converse(story.as(as), sessionId, `tool: notes__ask ${call}`)
    return turn.tasks[0]?.output ?? turn.tasks[0]?.stderr ?? turn.answers.join('\n')
  }
  expect(await ask('clock__now')).toContain('{"kind":"DONE","text":')
  expect(await ask('notes__ask')).toContain('it is the own one of the plugin')
  expect(await ask('delegation__delegate')).toContain('it may change something')
  expect(await ask('nothing__there')).toContain('there is no tool')
})

test('the issue tracker of the examples finds, reads and files, with a key that no model is shown', async () => {
  const ada = story.as('ada')
  const key = 'the-key-of-the-tracker-0123'
  const issues = [{ id: 1, title: 'The door sticks', text: 'Since Monday.', open: true }]
  const tracker = createTracker(key, issues)
  await once(tracker.listen(0, '127.0.0.1'), 'listening')
  await using stack = new AsyncDisposableStack()
  stack.defer(() => void tracker.close())
  await writeFile(story.path('.env'), `TRACKER_TOKEN=${key}\n`)
  addExamplePlugin(story.home, 'issue-tracker')
  await until(story, 'issue-tracker', 'DISABLED')
  const url = `http://127.0.0.1:${(tracker.address() as AddressInfo).port}/`
  await update(story, { name: 'issue-tracker', enabled: true, settings: { url } })
  await until(story, 'issue-tracker', 'READY')

  const calls = [
    'find {"words":"DOOR"}',
    'read {"id":1}',
    'file {"title":"The lamp flickers","text":"At night."}',
    'read {"id":7}',
  ]
  const message = calls.map((call) => `tool: issue-tracker__${call}`).join('\n\n')
  const turn = await converse(ada, 'web:chat', message)
  const tools = turn.tasks.filter(({ type }) => type === 'TOOL')
  expect(tools.map(({ status, output }) => [status, output])).toEqual([
    ['DONE', '#1 open: The door sticks'],
    ['DONE', '#1 open: The door sticks\n\nSince Monday.'],
    ['DONE', 'Filed as #2.'],
    ['FAILED', null],
  ])
  expect(tools[3]?.stderr).toContain('there is no issue 7')
  const typed = await converse(ada, 'web:commands', '/issue The tap drips')
  expect(typed.answers).toEqual(['Filed as #3.'])
  expect(issues.map(({ title }) => title)).toEqual(['The door sticks', 'The lamp flickers', 'The tap drips'])
  expect(JSON.stringify(await select(story, 'SELECT prompt, answer FROM model_call_texts'))).not.toContain(key)

  await update(story, { name: 'issue-tracker', settings: { url: 'http://127.0.0.1:1/' } })
  await vi.waitFor(
    async () => expect((await read(story, 'issue-tracker')).lastError).toContain('cannot be reached'),
    PATIENCE,
  )
})
