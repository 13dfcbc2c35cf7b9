import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseManifest } from './skill-manifest.ts'

const WHOLE = `
[kiso]
type = "skill"
name = "web-search"
version = "0.3.0"
description = "Searches."

[kiso.skill]
summary = """
Searches the web
for pages."""
session_secrets = ["api_token"]

[kiso.skill.args]
query = { type = "string", required = true, description = "What to search for." }
count = { type = "int", default = 10 }
weight = { type = "float", default = 1 }

[kiso.skill.args.safe]
type = "bool"
default = false

[kiso.skill.env]
api_key = { required = true, description = "The key." }
proxy = { required = false }

[kiso.deps]
python = ">=3.11"
bin = ["curl", "jq"]
`

test('a manifest with all its fields is read as it stands', () => {
  expect(parseManifest(WHOLE)).toEqual({
    kind: 'valid',
    manifest: {
      name: 'web-search',
      version: '0.3.0',
      description: 'Searches.',
      summary: 'Searches the web for pages.',
      args: [
        { name: 'query', type: 'string', required: true, default: null, description: 'What to search for.' },
        { name: 'count', type: 'int', required: false, default: 10, description: '' },
        { name: 'weight', type: 'float', required: false, default: 1, description: '' },
        { name: 'safe', type: 'bool', required: false, default: false, description: '' },
      ],
      secrets: ['api_token'],
      env: [
        { key: 'api_key', required: true, description: 'The key.' },
        { key: 'proxy', required: false, description: '' },
      ],
      python: '>=3.11',
      bin: ['curl', 'jq'],
      run: null,
    },
  })
})

const least = (more = ''): string => `[kiso]\ntype = "skill"\nname = "x"\n[kiso.skill]\nsummary = "Does x."\n${more}`

test('only type, name and summary are needed; what is not known is left alone', () => {
  const more =
    'future = [1]\n[kiso.skill.args.a]\ntype = "int"\nunit = "m"\n[kiso.more]\nx = 1\n[tool.ruff]\nline = 100'
  expect(parseManifest(least(more))).toMatchObject({
    kind: 'valid',
    manifest: { version: null, description: null, args: [{ name: 'a' }], env: [], secrets: [], bin: [], run: null },
  })
})

test.each(['run', 'exec'])('%s names the program', (key) => {
  expect(parseManifest(least(`${key} = "bin/tool"`))).toMatchObject({ kind: 'valid', manifest: { run: 'bin/tool' } })
})

describe('what is wrong is said with its key and what would be right', () => {
  test.each<[problem: string, toml: string]>([
    ['is not valid TOML (line 1): ', 'kiso'],
    ['kiso is missing; it must be a section [kiso]', ''],
    ['kiso.type must be "skill"; it is "connector"', least().replace('"skill"', '"connector"')],
    ['kiso.name must be 1 to 64 lower-case letters', least().replace('"x"', '"X Y"')],
    ['kiso.skill is missing; it must be a section [kiso.skill]', '[kiso]\ntype = "skill"\nname = "x"'],
    ['kiso.skill.summary must be a sentence', least().replace('"Does x."', '" "')],
    ['kiso.skill.args.a.type must be "string", "int", "float" or "bool"; it is "list"', least('args.a.type = "list"')],
    [
      'kiso.skill.args.a.default must be of type int, as the argument is; it is "1"',
      least('args.a = { type = "int", default = "1" }'),
    ],
    ['kiso.skill.args.a.default must be of type int', least('args.a = { type = "int", default = 1.5 }')],
    [
      'kiso.skill.args.a.required must be true or false; it is "yes"',
      least('args.a = { type = "int", required = "yes" }'),
    ],
    ['kiso.skill.args.a b as a name must be letters', least('args."a b".type = "int"')],
    ['kiso.skill.env.K must be a table such as { required = true }; it is "value"', least('env.K = "value"')],
    ['kiso.skill.session_secrets must be a list of keys', least('session_secrets = "token"')],
    ["kiso.skill.run must be the path of a program inside the skill's folder", least('run = "../other/run.py"')],
    ['kiso.skill.run must be', least('run = "/bin/sh"')],
    ['kiso.skill.run must be', least('run = "a b"')],
    ['kiso.deps.bin.0 must be the name of a program', least('[kiso.deps]\nbin = ["rm -rf /"]')],
  ])('%s', (problem, toml) => {
    const parsed = parseManifest(toml)
    expect(parsed).toMatchObject({ kind: 'invalid' })
    expect(parsed.kind === 'invalid' ? parsed.problems[0] : '').toContain(problem)
  })
})

test('no text makes it throw', () => {
  const line = fc.constantFrom('[kiso]', '[kiso.skill]', 'type = "skill"', 'name = "x"', 'args.a = 1', 'summary = "x"')
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.string({ unit: 'grapheme' })), { maxLength: 12 }), (lines) => {
      expect(['valid', 'invalid']).toContain(parseManifest(lines.join('\n')).kind)
    }),
  )
})
