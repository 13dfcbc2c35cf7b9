import { describe, expect, test } from 'vitest'
import { parseCommandLine, type Action } from './command-line.ts'

const token = { kind: 'user', user: null, namespace: null, name: null, print: false } as const
const flags = { port: '1', host: 'h', home: '/d' }

test.each<[args: string, action: Action]>([
  ['', { kind: 'serve', flags: {}, paused: false }],
  ['serve', { kind: 'serve', flags: {}, paused: false }],
  ['serve --port 1 --host h --home /d', { kind: 'serve', flags, paused: false }],
  ['--port=1 --host=h --home=/d', { kind: 'serve', flags, paused: false }],
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
  ['serve --paused', { kind: 'serve', flags: {}, paused: true }],
  [
    'backup b.gz --files',
    { kind: 'backup', flags: {}, action: { do: 'backup', file: 'b.gz', files: true, workspaces: false } },
  ],
  ['move-to postgres://h/d', { kind: 'backup', flags: {}, action: { do: 'move-to', databaseUrl: 'postgres://h/d' } }],
  ['audit verify', { kind: 'audit', flags: {}, action: { do: 'verify', day: null, kept: null } }],
  [
    'audit verify --day 2026-11-21 --home /d',
    { kind: 'audit', flags: { home: '/d' }, action: { do: 'verify', day: '2026-11-21', kept: null } },
  ],
  ['retention --dry-run', { kind: 'retention', flags: {}, action: { days: null } }],
  ['retention --dry-run --days 30', { kind: 'retention', flags: {}, action: { days: 30 } }],
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
  ['login --user ada', { kind: 'login', flags: {}, user: 'ada' }],
  ['doctor', { kind: 'doctor', flags: {}, callsModels: false, json: false }],
  ['doctor --models --json --port 1', { kind: 'doctor', flags: { port: '1' }, callsModels: true, json: true }],
  ['models check --home /d', { kind: 'models-check', flags: { home: '/d' }, json: false }],
  ['--help', { kind: 'help', text: null }],
  ['-h', { kind: 'help', text: null }],
  ['help', { kind: 'help', text: null }],
  ['token --help', { kind: 'help', text: expect.stringMatching(/^Usage: factotum token \[options\]/) }],
  ['help session export', { kind: 'help', text: expect.stringContaining('JSON Lines') }],
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
  ['skill --help', { kind: 'help', text: expect.stringContaining('install [options] <source>') }],
  ['chat', { kind: 'remote', flags: {}, action: { do: 'chat', sessionId: null } }],
  [
    'ask --json --url http://h what is up',
    {
      kind: 'remote',
      flags: { url: 'http://h' },
      action: { do: 'ask', content: 'what is up', sessionId: null, json: true },
    },
  ],
  ['ask -', { kind: 'remote', flags: {}, action: { do: 'ask', content: null, sessionId: null, json: false } }],
  ['facts tea time', { kind: 'remote', flags: {}, action: { do: 'facts', search: 'tea time', json: false } }],
  ['search the invoice', { kind: 'remote', flags: {}, action: { do: 'search', search: 'the invoice', json: false } }],
  ['users add eve', { kind: 'remote', flags: {}, action: { do: 'user-add', name: 'eve', role: 'USER' } }],
  [
    'usage --by user --from 2026-11-01 --to 2026-11-30 --csv',
    {
      kind: 'remote',
      flags: {},
      action: { do: 'usage', by: 'user', from: '2026-11-01', to: '2026-11-30', as: 'csv' },
    },
  ],
  ['completion fish', { kind: 'completion', shell: 'fish' }],
  ['--version', { kind: 'version' }],
  ['-v', { kind: 'version' }],
])('factotum %s', (args, action) => {
  expect(parseCommandLine(args.split(' ').filter((word) => word !== ''))).toEqual(action)
})

const LOCAL =
  'works on the machine of the server alone, with its FACTOTUM_HOME (--home) and DATABASE_URL: run it there. ' +
  'Over the network work: chat, ask, sessions, search, tail, approve, facts, learnings, secrets, users, tokens, usage.'

describe('misuse says what is wrong, what was meant, and where help is', () => {
  test.each([
    ['tokn', 'There is no command "tokn" (did you mean "token"?).'],
    ['--prot 1', 'There is no option "prot" (did you mean "port"?).'],
    ['-x', 'There is no option "x".'],
    ['--port', "Option '--port <n>' argument missing."],
    ['--help=yes', 'There is no option "help=yes".'],
    ['serve now', '"now" is one word too many.'],
    ['audit', '"factotum audit" needs one of: verify.'],
    ['audit verfy', 'There is no command "audit verfy" (did you mean "verify"?).'],
    ['audit verify today', '"today" is one word too many.'],
    ['audit verify --day today', '--day must be a day such as 2026-11-21; it is "today".'],
    ['audit verify --kept 12:abc', '--kept must be the number and the hash of a seal, 812:4f0c…; it is "12:abc".'],
    ['audit verify --day 2026-02-30', '--day must be a day such as 2026-11-21; it is "2026-02-30".'],
    ['usage --json --csv', 'Either --json or --csv.'],
    ['usage --to 2026-11-30', '--to needs --from.'],
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
    ['--home /d token', 'The command comes before its options: factotum token ….'],
    ['tail', '"factotum tail" needs the id of a session.'],
    ['tail a/b', 'A session id must be 1 to 255 characters out of letters, digits and _ @ . : -.'],
    ['completion csh', 'Allowed choices are bash, zsh, fish.'],
    ['tokens add x --user ada --expires soon', '--expires must be a day such as 2026-11-21; it is "soon".'],
    ['tokens add x', 'A token needs either --user or --kind connector.'],
    ['retention', "Required option '--dry-run' not specified."],
    ['retention --dry-run --days x', '--days must be a whole number from 1 to 36500; it is "x".'],
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
    ['doctor --url https://h', `"factotum doctor" ${LOCAL}`],
    ['backup b.gz --url https://h', `"factotum backup" ${LOCAL}`],
    ['audit verify --url=https://h', `"factotum audit verify" ${LOCAL}`],
    ['token --check-config', '"factotum token" takes no option --check-config.'],
  ])('factotum %s', (args, message) => {
    expect(parseCommandLine(args.split(' '))).toEqual({
      kind: 'misuse',
      message: `${message} "factotum --help" explains everything.`,
    })
  })
})
