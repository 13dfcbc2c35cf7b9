import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readScript } from './rehearsal-script.ts'

const NOTHING = {
  tasks: [],
  learn: [],
  notes: [],
  secrets: [],
  answer: null,
  instead: null,
  fail: null,
  waitMs: 0,
  asksForFacts: false,
  uses: [],
  silent: false,
  rest: '',
}

describe('readScript', () => {
  test('takes its lines out of a message, in order, and leaves the rest', () => {
    const message = [
      'Hello!',
      'run: echo hi',
      'skill: search {"query": "two  words"}',
      '  run:ls -l  ',
      'skill: clock',
      'learn: The sky is blue.',
      'note: Anna likes blue.',
      'secret: TOKEN=abc=def',
      'answer: On Mondays',
      'instead: It runs on Mondays.',
      'Facts?',
      'uses: the sky',
      'fail: just once',
      'wait: 20',
      'wait: 5',
      'silent:',
      'running: late',
      'Bye.',
    ]
    expect(readScript(message.join('\n'))).toEqual({
      tasks: [
        { kind: 'run', command: 'echo hi' },
        { kind: 'skill', name: 'search', args: '{"query": "two  words"}' },
        { kind: 'run', command: 'ls -l' },
        { kind: 'skill', name: 'clock', args: '{}' },
      ],
      learn: ['The sky is blue.'],
      notes: ['Anna likes blue.'],
      secrets: [{ key: 'TOKEN', value: 'abc=def' }],
      answer: 'On Mondays',
      instead: 'It runs on Mondays.',
      fail: 'just once',
      waitMs: 25,
      asksForFacts: true,
      uses: ['the sky'],
      silent: true,
      rest: 'Hello!\nrunning: late\nBye.',
    })
  })

  test.each([
    'run:',
    'run:   ',
    'wait: soon',
    'wait: -1',
    'wait:',
    'Run: ls',
    'please run: ls',
    'skill:',
    'learn: ',
    'note:',
    'answer:',
    'Which facts?',
    'silent: is the night',
  ])('leaves "%s" as it is', (line) => {
    expect(readScript(line)).toEqual({ ...NOTHING, rest: line.trim() })
  })

  test.each([
    ['secret:', { key: '', value: '' }],
    ['secret: hunter2', { key: 'hunter2', value: '' }],
    [' secret: A = b', { key: 'A', value: 'b' }],
  ])('never leaves "%s" to be quoted', (line, secret) => {
    expect(readScript(line)).toEqual({ ...NOTHING, secrets: [secret] })
  })

  test('waits ten minutes at most', () => {
    expect(readScript('wait: 999999999').waitMs).toBe(600_000)
  })

  test('reads any message, and loses no line', () => {
    const isPlain = (line: string): boolean =>
      !/[\r\n]|^\s*(run|skill|learn|note|secret|answer|fail|wait):|^\s*(facts\?)?\s*$/i.test(line)
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }).filter(isPlain)), (lines) => {
        expect(readScript(lines.join('\n')).rest).toBe(lines.join('\n').trim())
      }),
    )
  })
})
