import { describe, expect, test } from 'vitest'
import { checkTiming, TIMING, type Timing } from './timing.ts'

describe('checkTiming', () => {
  test('takes the default times', () => {
    expect(() => checkTiming(TIMING)).not.toThrow()
  })

  test.each<[Partial<Timing>, string]>([
    [{ permitMs: TIMING.beatMs + TIMING.beatTimeoutMs }, 'a beat is given up before'],
    [{ permitMs: TIMING.silentMs }, 'the commands of a node end before'],
    [{ stallMs: TIMING.silentMs - TIMING.beatMs - TIMING.beatTimeoutMs }, 'a process that stood still notices'],
    [{ missingMs: TIMING.silentMs }, 'a node is evicted before'],
    [{ endCommandsMs: TIMING.permitMs }, 'no command is left'],
    [{ feedPollMs: 0 }, 'feedPollMs is a time'],
  ])('refuses %j', (times, message) => {
    expect(() => checkTiming({ ...TIMING, ...times })).toThrow(message)
  })
})
