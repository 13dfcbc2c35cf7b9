import { setImmediate as whenIdle } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { manualClock } from '../../test/harness/manual-clock.ts'
import type { SessionEvent } from '../core/session-event.ts'
import { createLogger } from '../platform/logger.ts'
import { createMetrics } from '../platform/metrics.ts'
import { definePlugin, z } from '../plugin-api/plugin.ts'
import { Broadcast } from './broadcast.ts'
import { InProcessPlugin } from './in-process-plugin.ts'
import { PluginSupervisor } from './plugin-supervisor.ts'

const port = { ask: async () => null, log: () => {}, end: () => {} }

function eventOf(seq: number, type: 'TurnPaused' | 'SessionUpdated' = 'SessionUpdated'): SessionEvent {
  const frame = { sessionId: 's', turnId: null, seq, at: new Date(0) }
  return type === 'SessionUpdated' ? { ...frame, type } : { ...frame, type, reason: 'It waits.', until: null }
}

test('of the events that a plugin wants, 1000 wait for it; the others are left out and counted', async () => {
  const given: number[] = []
  const clock = manualClock()
  const metrics = createMetrics()
  const reads = definePlugin({
    name: 'reads',
    version: '1.0.0',
    api: 1,
    title: 'Reads',
    description: 'Reads.',
    settings: z.object({}),
    events: ['session_updated'],
    hooks: { onBroadcast: ({ seq }) => void given.push(seq) },
  })
  const ready = Promise.withResolvers<void>()
  const supervisor: PluginSupervisor = new PluginSupervisor({
    name: 'reads',
    load: async () => new InProcessPlugin(reads, port),
    start: () => ({ settings: {}, secrets: {} }),
    metrics,
    clock,
    logger: createLogger({ level: 'silent', pretty: false }),
    onChange: () => (supervisor.instance === null ? undefined : ready.resolve()),
  })
  supervisor.start()
  await ready.promise
  const broadcast = new Broadcast(clock)
  broadcast.become([supervisor])
  broadcast.give(Array.from({ length: 1003 }, (_, index) => eventOf(index + 1)))
  broadcast.give([eventOf(2000, 'TurnPaused')])
  expect(supervisor.counts).toMatchObject({ calls: 0, eventsLeftOut: 3 })
  expect((await metrics.pluginEventsLeftOut.get()).values).toMatchObject([{ labels: { plugin: 'reads' }, value: 3 }])
  clock.fire()
  while (given.length < 1000) await whenIdle()
  expect(given).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1))
  broadcast.give([eventOf(1004)])
  await supervisor.stop()
  clock.fire()
  while (supervisor.counts.eventsLeftOut < 4) await whenIdle()
  expect(given).toHaveLength(1000)
})
