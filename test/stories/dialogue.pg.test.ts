/** What planner and messenger are shown of a conversation: who said what and when, what was answered, and the time. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { Database } from '../../src/store/database.ts'
import * as api from '../generated/graphql.ts'
import { openBusy } from '../harness/queue.ts'
import { passTime as passTimeOfSchedules, schedule, soon, untilSchedule } from '../harness/schedules.ts'
import { converse, send, Story, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

let stub: StubEndpoint
let story: Story
let database: Database
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: echo })
  const settings = {
    time_zone: 'Asia/Tokyo',
    summarize_threshold: 8,
    context_messages: 2,
    context_tokens: 2000,
    provider_sessions: 0,
  }
  story = await Story.begin({ config: { settings, toml: stubProvider(stub) } })
  const logger = createLogger({ level: 'silent', pretty: false })
  database = new Database({ url: story.databaseUrl, maxConnections: 1, logger })
})
afterAll(async () => {
  await database.close()
  await story[Symbol.asyncDispose]()
  await stub.close()
})
beforeEach(() => {
  stub.calls.length = 0
})

/** Answers each message with "Re: …", after the command that its line "first:" names. */
function echo(call: StubCall): StubAnswer {
  if (call.role === 'summarizer') return 'They spoke of numbers.'
  if (call.role === 'messenger') return `Re: ${blocksOf(call.user, 'DETAIL')[0]}`
  if (call.role !== 'planner') return answerWell(call)
  const [message = ''] = blocksOf(call.user, 'MESSAGE')
  const command = /^first: (.*)$/m.exec(message)?.[1]
  const task = { skill: null, args: null }
  const exec = command === undefined ? [] : [{ ...task, type: 'exec', detail: command, expect: 'it ends' }]
  const msg = { ...task, type: 'msg', detail: message.split('\n')[0], expect: null }
  return { content: { goal: 'Echo', secrets: null, tasks: [...exec, msg], answers: null } }
}

/** What stands between the markers of the blocks with this label. */
function blocksOf(prompt: string, label: string): string[] {
  const blocks = prompt.matchAll(new RegExp(`^<<<${label}_([0-9a-f]{32})>>>\n([^]*?)\n<<<END_${label}_\\1>>>$`, 'gm'))
  return [...blocks].map(([, , text]) => text ?? '')
}

/** The last prompt of a role, with the markers of its blocks shortened. */
function promptOf(role: StubCall['role']): string {
  const { user } = must(
    stub.calls.findLast((call) => call.role === role),
    `the ${role} was asked`,
  )
  return user.replaceAll(/^<<<(END_)?([A-Z_]+)_[0-9a-f]{32}>>>$/gm, (_, end?: string) =>
    end === undefined ? '[' : ']',
  )
}

/** As if what happened in a session so far had happened so long ago. */
async function passTime(sessionId: string, interval: string): Promise<void> {
  for (const [table, columns] of [
    ['messages', ['created_at']],
    ['tasks', ['started_at', 'finished_at']],
  ] as const) {
    const sets = columns.map((column) => `${column} = ${column} - $2::interval`).join(', ')
    await database.query({ name: '', text: `UPDATE ${table} SET ${sets} WHERE session_id = $1` }, [sessionId, interval])
  }
}

/** "2026-11-22" in a time zone, so many days ago. */
function dayIn(timeZone: string, daysAgo = 0): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date(Date.now() - daysAgo * 86_400_000))
}

test('"What changed since yesterday?" can be planned: the exchange of yesterday is there with its date', async () => {
  const ada = story.as('ada')
  await converse(ada, 'cli:days', 'Three machines are up.')
  await passTime('cli:days', '1 day')
  await converse(ada, 'cli:days', 'Five machines are up.')
  await converse(ada, 'cli:days', 'What changed since yesterday?')
  const [yesterday, today] = [dayIn('Asia/Tokyo', 1), dayIn('Asia/Tokyo')]
  for (const role of ['planner', 'messenger'] as const) {
    const prompt = promptOf(role)
    expect(prompt).toMatch(
      new RegExp(`^Now: \\w+day ${today} \\d\\d:\\d\\d, time zone Asia/Tokyo \\(UTC\\+09:00\\)`, 'm'),
    )
    const exchange = (day: string, text: string): string =>
      `ada \\(USER\\), \\w+day ${day} \\d\\d:\\d\\d:\\n\\[\\n${text}\\n\\]\\n` +
      `Answered, \\w+day ${day} \\d\\d:\\d\\d:\\n\\[\\nRe: ${text}\\n\\]`
    expect(prompt).toMatch(
      new RegExp(
        `${exchange(yesterday, 'Three machines are up\\.')}\\n\\n${exchange(today, 'Five machines are up\\.')}`,
      ),
    )
    expect(prompt.indexOf('What changed')).toBeGreaterThan(prompt.indexOf('Re: Five'))
  }
})

test('each answer stands behind what it answers, also when others spoke between, and with all that one turn served', async () => {
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  const id = 'cli:pairs'
  const gate = story.path('pairs')
  await openBusy(ada, 'COLLECT', { id, participants: ['ben'] })
  await using watch = watchAll(ada, id)
  await send(ada, id, `One\nfirst: until [ -e ${gate} ]; do sleep 0.05; done`)
  await watch.until(({ sessionEvents: event }) => event.__typename === 'PlanCreatedEvent')
  await send(ada, id, 'Two')
  await send(ben, id, 'Three')
  await send(ada, id, 'Four')
  await writeFile(gate, '')
  await turnEnd(watch, 4)
  const asked = must(
    stub.calls.findLast(({ role, user }) => role === 'planner' && blocksOf(user, 'MESSAGE')[0] === 'Three'),
    'of ben',
  )
  const said = [...asked.user.matchAll(/^<<<(?:EARLIER_MESSAGE|DATA_ANSWER)_\w+>>>\n(.*)/gm)].map(([, text]) => text)
  expect(said).toEqual(['One', 'Re: One', 'Two', 'Four', 'Re: Two'])
})

test('nothing is told twice: what the summary holds is not shown as it was said, and what is left out is summarised', async () => {
  const ada = story.as('ada')
  const id = 'cli:long'
  const long = (n: number): string => `Number ${n} ${'x'.repeat(1500)}`
  for (let n = 1; n <= 6; n++) {
    await converse(ada, id, long(n))
    const prompt = promptOf('planner')
    // Two exchanges fill what agents are shown: then the older one goes into the summary, before a third is left out.
    expect(prompt).not.toContain('Older messages are left out')
    expect(prompt.includes('They spoke of numbers.')).toBe(n > 3)
  }
  const prompted = stub.calls
    .filter(({ role }) => role === 'summarizer')
    .map(({ user }) => [...user.matchAll(/^Number (\d) /gm)].map(([, n]) => n))
  expect(prompted.flat()).toEqual(['1', '2', '3', '4'])
  const shown = [...promptOf('planner').matchAll(/^Number (\d) /gm)].map(([, n]) => n)
  expect(shown).toEqual(['5', '6'])
})

describe('the time zone', () => {
  test('of a session is that of the configuration, until it has one of its own; what is none is refused', async () => {
    const ada = story.as('ada')
    const zoneOf = async (id: string) => (await ada.run(api.SessionZoneDocument, { id })).session?.timeZone
    await ada.run(api.OpenSessionDocument, { input: { id: 'cli:zone' } })
    expect(await zoneOf('cli:zone')).toBe('Asia/Tokyo')
    await ada.run(api.OpenSessionDocument, { input: { id: 'cli:zone', timeZone: 'America/New_York' } })
    expect(await zoneOf('cli:zone')).toBe('America/New_York')
    await converse(ada, 'cli:zone', 'Hello')
    expect(promptOf('planner')).toMatch(/^Now: .*, time zone America\/New_York \(UTC-0[45]:00\)/m)

    const refused = await ada.run(api.SetTimeZoneDocument, { id: 'cli:zone', timeZone: 'Europe/Rom' })
    expect(refused.updateSession).toMatchObject({
      issues: [{ path: ['timeZone'], problem: expect.stringContaining('"Europe/Rome"') as string }],
    })
    const unset = await ada.run(api.SetTimeZoneDocument, { id: 'cli:zone', timeZone: null })
    expect(unset.updateSession).toMatchObject({ session: { timeZone: 'Asia/Tokyo' } })
    const opened = await ada.run(api.OpenSessionDocument, { input: { id: 'cli:zoned', timeZone: 'Mars/Olympus' } })
    expect(opened.openSession.__typename).toBe('InvalidInputRefusal')
  })

  test("of a schedule's sessions is the schedule's, and so is their name", async () => {
    const ben = story.as('ben')
    const input = { name: 'Morning', content: 'Hello', runAt: soon(3600), timeZone: 'Europe/Rome' }
    const { id } = await schedule(ben, input)
    await passTimeOfSchedules(story.databaseUrl, [id])
    await untilSchedule(ben, id, ({ runs }) => runs[0]?.status === 'DONE')
    expect((await ben.run(api.SessionZoneDocument, { id: `schedule:${id}` })).session).toMatchObject({
      description: 'Morning',
      timeZone: 'Europe/Rome',
    })
    expect(promptOf('planner')).toMatch(/^Now: .*, time zone Europe\/Rome \(UTC\+0[12]:00\)/m)
  })
})
