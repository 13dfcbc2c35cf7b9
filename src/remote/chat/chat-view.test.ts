import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { ChatView, type Approval } from './chat-view.ts'
import { shortLine } from './describe-chat.ts'
import { PlainScreen } from './plain-screen.ts'

const COMMON = { at: '2026-11-28T12:00:00.000Z', seq: 1, sessionId: 'cli:lines', turnId: 'turn_1', taskId: 'task_1' }

test('lines that end as on Windows are lines, also when their end comes in two pieces', async () => {
  const output = new PassThrough()
  const view = new ChatView(new PlainScreen(output))
  view.show({ ...COMMON, __typename: 'TaskOutputEvent', stream: 'STDOUT', text: 'one\r\ntwo\r\n' })
  for (const delta of ['three\r', '\nfour', '\r', '\nfive'])
    view.show({ ...COMMON, __typename: 'TextDeltaEvent', delta })
  view.show({ ...COMMON, __typename: 'TextCompletedEvent', final: true, attempt: 1, content: 'three\r\nfour\r\nfive' })
  output.end()
  const shown = stripVTControlCharacters(await text(output))
  expect(shown).toBe('  │ one\n  │ two\n‹ three\r\nfour\r\nfive\n')
})

test('a line of output that comes in pieces is one row, and of one that is written over the last counts', async () => {
  const output = new PassThrough()
  const view = new ChatView(new PlainScreen(output))
  const says = (text: string, stream: 'STDOUT' | 'STDERR' = 'STDOUT', taskId = 'task_1'): void =>
    view.show({ ...COMMON, __typename: 'TaskOutputEvent', taskId, stream, text })
  says('hel')
  says('warn', 'STDERR')
  says('of another', 'STDOUT', 'task_2')
  says('lo\n\n 10 %\r 50')
  says(' %\r100 %\r')
  says('\nno end')
  const usage = { calls: 1, inputTokens: 1, outputTokens: 1, cachedTokens: 0, cost: null }
  const ended = { turnStatus: 'DONE', durationMs: 1, usage, failure: null } as const
  view.show({ ...COMMON, __typename: 'TurnCompletedEvent', ...ended, commandsHandled: [] })
  output.end()
  const rows = stripVTControlCharacters(await text(output)).split('\n')
  expect(rows.filter((row) => row.includes('│'))).toEqual(
    ['hello', '', '100 %', 'no end', 'warn', 'of another'].map((line) => `  │ ${line}`),
  )
})

const TOUCH = { type: 'EXEC', detail: 'touch x', skill: null, tool: null, args: null } as const
const MAIL = { type: 'TOOL', detail: 'tell Bob', skill: null, tool: 'mail__send', args: { to: 'bob' } } as const

function asked(kind: Approval['kind'], call: Approval['task']['plan']['tasks'][number]): Approval {
  const place = {
    id: 'task_2',
    index: 0,
    taskStatus: 'AWAITING_APPROVAL',
    plan: { tasks: [TOUCH, MAIL] },
  } satisfies Partial<Approval['task']>
  const why = { approvalReason: 'It writes.', expiresAt: COMMON.at, approvalStatus: 'PENDING' } as const
  const undecided = { decidedBy: null, decidedAt: null, note: null, scope: null } as const
  return { ...why, ...undecided, id: 'appr_1', kind, remembered: [], task: { ...place, ...call } }
}

test.each([
  ['of a command', asked('TASK', TOUCH), 'May this run? touch x\n'],
  ['of a tool, with what it is called', asked('TASK', MAIL), 'May this run? mail__send {"to":"bob"}\n'],
  ['of a plan, all of it', asked('PLAN', TOUCH), 'May all of the plan run? touch x\n  mail__send {"to":"bob"}\n'],
])('who decides is shown what will run: %s', async (_name, approval, shown) => {
  const output = new PassThrough()
  new ChatView(new PlainScreen(output)).showPending([approval])
  output.end()
  expect(stripVTControlCharacters(await text(output))).toContain(shown)
})

test('what was decided is asked about no longer, though no event says so, and is shown once if one does', async () => {
  const output = new PassThrough()
  const view = new ChatView(new PlainScreen(output))
  const approval = asked('TASK', TOUCH)
  view.showPending([approval])
  expect(view.asked).toBe(approval)
  view.decided('appr_1', true)
  expect(view.asked).toBeNull()
  view.show({ ...COMMON, __typename: 'ApprovalEvent', approval: { ...approval, approvalStatus: 'APPROVED' } })
  output.end()
  expect(stripVTControlCharacters(await text(output)).match(/approved/g)).toHaveLength(1)
})

test('the first line of a text leaves nothing behind that would overwrite it', () => {
  expect(shortLine('touch x\r\nrm y')).toBe('touch x')
})
