import { expect, test } from 'vitest'
import { NO_HOOKS, type Notification, type TurnHooks } from '../../plugins/hooks/turn-hooks.ts'
import { TurnPlugins } from './turn-plugins.ts'

const task = { sessionId: 's', sessionType: 'DIRECT', turnId: 't', user: 'ada', role: 'USER' } as const
const created = (taskId: string) => ({ ...task, taskId, type: 'EXEC', what: '', args: null, status: '', output: null })

/** Hooks that note what they are given together, and a timer that goes off when the test says so. */
function world() {
  const given: string[][] = []
  const namesOf = (notifications: readonly Notification[]): string[] =>
    notifications.map(({ hook, data }) => `${hook} ${'taskId' in data ? data.taskId : ''}`)
  const hooks: TurnHooks = {
    ...NO_HOOKS,
    wants: () => true,
    notify: async (notifications) => void (notifications.length > 0 && given.push(namesOf(notifications))),
    taskCompleted: async ({ taskId }, { before }) => {
      given.push([...namesOf(before), `asked ${taskId}`])
      return null
    },
  }
  const leftOut: string[] = []
  let due: () => void = () => {}
  const plugins = new TurnPlugins({
    hooks,
    signal: new AbortController().signal,
    clock: { monotonicMs: () => 0, after: (_ms, action) => ((due = action), () => {}) },
    onLeftOut: (hook) => leftOut.push(hook),
  })
  return { plugins, given, leftOut, lingered: () => (due(), plugins.settled()) }
}

test('what a turn tells of in a short while is told together, and brought along by a hook that it waits for', async () => {
  const { plugins, given, lingered } = world()
  for (const id of ['a', 'b']) plugins.notify('onTaskCreate', () => created(id))
  await lingered()
  expect(given).toEqual([['onTaskCreate a', 'onTaskCreate b']])
  plugins.notify('onTaskCreate', () => created('c'))
  plugins.notifyCompleted(() => created('b'))
  await plugins.taskCompleted(created('c'))
  await lingered()
  expect(given.slice(1)).toEqual([['onTaskCreate c', 'onTaskComplete b', 'asked c']])
})

test('what is beyond 500 is left out, and each that is, is told of', async () => {
  const { plugins, given, leftOut, lingered } = world()
  for (let n = 0; n < 502; n += 1) plugins.notify('onTaskCreate', () => created(String(n)))
  await lingered()
  expect(given.map((notifications) => notifications.length)).toEqual([500])
  expect(leftOut).toEqual(['onTaskCreate', 'onTaskCreate'])
})
