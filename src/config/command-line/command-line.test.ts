import { describe, expect, test } from 'vitest'
import { parseCommandLine, type Action } from './command-line.ts'

const token = { kind: 'user', user: null, namespace: null, name: null, print: false } as const
const flags = { port: '1', host: 'h', home: '/d' }

test.each<[args: string, action: Action]>([
  ['', { kind: 'serve', flags: {} }],
  ['serve', { kind: 'serve', flags: {} }],
  ['serve --port 1 --host h --home /d', { kind: 'serve', flags }],
  ['--port=1 --host=h --home=/d', { kind: 'serve', flags }],
  ['--check-config --home /d', { kind: 'check-config', flags: { home: '/d' } }],
  ['token', { kind: 'token', flags: {}, action: { ...token, print: false } }],
  ['token --print', { kind: 'token', flags: {}, action: { ...token, print: true } }],
  [
    'token --user anna --name phone --home /d',
    { kind: 'token', flags: { home: '/d' }, action: { ...token, user: 'anna', name: 'phone' } },
  ],
  [
    'token --kind connector --namespace discord',
    { kind: 'token', flags: {}, action: { ...token, kind: 'connector', namespace: 'discord' } },
  ],
  ['audit verify', { kind: 'audit', flags: {}, action: { do: 'verify', day: null } }],
  [
    'audit verify --day 2026-11-21 --home /d',
    { kind: 'audit', flags: { home: '/d' }, action: { do: 'verify', day: '2026-11-21' } },
  ],
  ['session export cli:a', { kind: 'session', flags: {}, action: { do: 'export', sessionId: 'cli:a', file: null } }],
  [
    'session export cli:a --out a.jsonl --home /d',
    { kind: 'session', flags: { home: '/d' }, action: { do: 'export', sessionId: 'cli:a', file: 'a.jsonl' } },
  ],
  ['session import -', { kind: 'session', flags: {}, action: { do: 'import', file: null, as: null } }],
  [
    'session import a.jsonl --as web:copy',
    { kind: 'session', flags: {}, action: { do: 'import', file: 'a.jsonl', as: 'web:copy' } },
  ],
  ['doctor', { kind: 'doctor', flags: {}, callsModels: false, json: false }],
  ['doctor --models --json --port 1', { kind: 'doctor', flags: { port: '1' }, callsModels: true, json: true }],
  ['models check --home /d', { kind: 'models-check', flags: { home: '/d' }, json: false }],
  ['--help', { kind: 'help' }],
  ['-h', { kind: 'help' }],
  ['help', { kind: 'help' }],
  ['token --help', { kind: 'help' }],
  ['skill list --home /d', { kind: 'skill', flags: { home: '/d' }, action: { do: 'list' } }],
  [
    'skill install ./x',
    {
      kind: 'skill',
      flags: {},
      action: { do: 'install', source: './x', name: null, choices: { skipDeps: false, yes: false } },
    },
  ],
  [
    'skill install https://h/x.git --name y --no-deps --yes',
    {
      kind: 'skill',
      flags: {},
      action: { do: 'install', source: 'https://h/x.git', name: 'y', choices: { skipDeps: true, yes: true } },
    },
  ],
  [
    'skill update x',
    { kind: 'skill', flags: {}, action: { do: 'update', name: 'x', choices: { skipDeps: false, yes: false } } },
  ],
  [
    'skill update --all --yes',
    { kind: 'skill', flags: {}, action: { do: 'update', name: null, choices: { skipDeps: false, yes: true } } },
  ],
  ['skill remove x', { kind: 'skill', flags: {}, action: { do: 'remove', name: 'x' } }],
  ['skill --help', { kind: 'help' }],
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
    ['session', '"factotum session" needs one of: export, import.'],
    ['session exprt x', 'There is no command "session exprt" (did you mean "export"?).'],
    ['session export', '"factotum session export" needs the id of a session.'],
    ['session export a/b', 'A session id must be 1 to 255 characters out of letters, digits and _ @ . : -.'],
    ['session export a b', '"b" is one word too many.'],
    ['session export a --as b', '"factotum session export" takes no option --as.'],
    ['session import', '"factotum session import" needs a file, or - for standard input.'],
    [
      'session import a --as a/b',
      '--as must be an id for the session, such as "web:copy": it must be 1 to 255 characters out of letters, digits and _ @ . : -.',
    ],
    ['audit verify --yes', '"factotum audit verify" takes no option --yes.'],
    ['--day 2026-11-21', '"factotum serve" takes no option --day.'],
    ['token --port 1', '"factotum token" takes no option --port.'],
    ['token anna', '"anna" is one word too many.'],
    ['token --kind robot', '--kind must be "user" or "connector"; it is "robot".'],
    ['token --kind connector --user a', 'A connector names the sender of each message: it takes no --user.'],
    ['token --namespace a', '--namespace is for connectors: add --kind connector.'],
    ['serve --yes', '"factotum serve" takes no option --yes.'],
    ['token --all', '"factotum token" takes no option --all.'],
    ['skill', '"factotum skill" needs one of: install, list, update, remove.'],
    ['skill instal x', 'There is no command "skill instal" (did you mean "install"?).'],
    ['skill install', '"factotum skill install" needs a git URL or a folder.'],
    ['skill install a b', '"b" is one word too many.'],
    ['skill list all', '"all" is one word too many.'],
    ['skill list --yes', '"factotum skill list" takes no option --yes.'],
    ['skill install x --port 1', '"factotum skill install" takes no option --port.'],
    ['skill update', '"factotum skill update" needs either the name of a skill or --all.'],
    ['skill update x --all', '"factotum skill update" needs either the name of a skill or --all.'],
    ['skill remove', '"factotum skill remove" needs the name of a skill; "factotum skill list" shows them.'],
    ['token --check-config', '"factotum token" takes no option --check-config.'],
  ])('factotum %s', (args, message) => {
    expect(parseCommandLine(args.split(' '))).toEqual({
      kind: 'misuse',
      message: `${message} "factotum --help" explains everything.`,
    })
  })
})
