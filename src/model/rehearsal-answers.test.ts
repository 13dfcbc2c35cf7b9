import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readScript } from './rehearsal-answers.ts'

describe('readScript', () => {
  test('takes commands, a failure and waits out of a message, and leaves the rest', () => {
    expect(
      readScript('Hello!\nrun: echo hi\n  run:ls -l  \nfail: just once\nwait: 20\nwait: 5\nrunning: late\nBye.'),
    ).toEqual({
      commands: ['echo hi', 'ls -l'],
      fail: 'just once',
      waitMs: 25,
      rest: 'Hello!\nrunning: late\nBye.',
    })
  })

  test.each(['run:', 'run:   ', 'wait: soon', 'wait: -1', 'wait:', 'Run: ls', 'please run: ls'])(
    'leaves "%s" as it is',
    (line) => {
      expect(readScript(line)).toEqual({ commands: [], fail: null, waitMs: 0, rest: line.trim() })
    },
  )

  test('waits ten minutes at most', () => {
    expect(readScript('wait: 999999999').waitMs).toBe(600_000)
  })

  test('reads any message, and loses no line', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }).filter((line) => !/[\r\n]|^\s*(run|fail|wait):|^\s*$/.test(line))),
        (lines) => {
          expect(readScript(lines.join('\n')).rest).toBe(lines.join('\n').trim())
        },
      ),
    )
  })
})
