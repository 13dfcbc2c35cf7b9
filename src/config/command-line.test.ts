import { describe, expect, test } from 'vitest'
import { parseCommandLine, type Action } from './command-line.ts'

const flags = { port: '1', host: 'h', home: '/d' }

test.each<[args: string, action: Action]>([
  ['', { kind: 'serve', flags: {} }],
  ['serve', { kind: 'serve', flags: {} }],
  ['serve --port 1 --host h --home /d', { kind: 'serve', flags }],
  ['--port=1 --host=h --home=/d', { kind: 'serve', flags }],
  ['--check-config --home /d', { kind: 'check-config', flags: { home: '/d' } }],
  ['token', { kind: 'token' }],
  ['audit verify', { kind: 'audit', flags: {}, action: { do: 'verify', day: null } }],
  [
    'audit verify --day 2026-11-21 --home /d',
    { kind: 'audit', flags: { home: '/d' }, action: { do: 'verify', day: '2026-11-21' } },
  ],
  ['--help', { kind: 'help' }],
  ['-h', { kind: 'help' }],
  ['help', { kind: 'help' }],
  ['token --help', { kind: 'help' }],
  ['--version', { kind: 'version' }],
  ['-v', { kind: 'version' }],
])('factotum %s', (args, action) => {
  expect(parseCommandLine(args.split(' ').filter((word) => word !== ''))).toEqual(action)
})

describe('misuse says what is wrong, what was meant, and where help is', () => {
  test.each([
    ['tokn', 'There is no command "tokn" (did you mean "token"?).'],
    ['--prot 1', 'There is no option "prot" (did you mean "port"?).'],
    ['-x', 'There is no option "x".'],
    ['--port', "Option '--port <value>' argument missing."],
    ['--help=yes', "Option '-h, --help' does not take an argument."],
    ['serve now', '"now" is one word too many.'],
    ['audit', '"factotum audit" needs a command: verify.'],
    ['audit verfy', 'There is no command "audit verfy" (did you mean "verify"?).'],
    ['audit verify today', '"today" is one word too many.'],
    ['audit verify --day today', '--day must be a day such as 2026-11-21; it is "today".'],
    ['audit verify --day 2026-02-30', '--day must be a day such as 2026-11-21; it is "2026-02-30".'],
    ['audit verify --yes', '"factotum audit verify" takes no option --yes.'],
    ['--day 2026-11-21', '"factotum serve" takes no option --day.'],
    ['token --port 1', '"factotum token" takes no options, but got --port.'],
    ['token --check-config', '"factotum token" takes no options, but got --check-config.'],
  ])('factotum %s', (args, message) => {
    expect(parseCommandLine(args.split(' '))).toEqual({
      kind: 'misuse',
      message: `${message} "factotum --help" explains everything.`,
    })
  })
})
