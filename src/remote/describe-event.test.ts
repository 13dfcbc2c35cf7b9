import { expect, test } from 'vitest'
import type { SessionEvent } from '../../packages/client/src/connect.ts'
import { describeEvent } from './describe-event.ts'

test('a long line of a plan is cut between whole characters, by the columns that it takes', () => {
  const tasks = [{ index: 0, type: 'EXEC', detail: `${'東'.repeat(49)}a😀${'b'.repeat(9)}` }]
  const event = { __typename: 'PlanCreatedEvent', seq: 1, at: new Date(0).toISOString(), plan: { goal: 'x', tasks } }
  const line = describeEvent(event as unknown as SessionEvent)?.split('\n')[1] ?? ''
  expect(line.trim()).toBe(`1. EXEC ${'東'.repeat(49)}a…`)
})
