/** `factotum plugin …` with the examples, as a person at a terminal would use it. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseCommandLine } from '../../src/config/command-line/command-line.ts'
import { Progress } from '../../src/config/command-line/progress.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { runPluginCommand } from '../../src/plugins/command/plugin-command.ts'
import { impatientClock } from '../harness/impatient-clock.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples/plugins', import.meta.url))

/** Asks for what weighs most. */
const STRONG = `import { definePlugin } from 'factotum/plugin'
export default definePlugin({
  name: 'strong', version: '1.0.0', api: 1, title: 'Strong', description: 'Asks for much.',
  instructs: true, keeps: ['thinking'], events: ['turn_completed'],
  hooks: { onBroadcast: () => undefined },
  runtimes: { agent: { description: 'Answers.', open: () => ({ send: async function* () {}, close: () => undefined }) } },
})
`

test('a plugin is installed after two questions, listed, replaced and removed', async () => {
  await using home = await createTemporaryHome()
  const lines: string[] = []
  const questions: string[] = []
  let answer = true
  const packages: string[] = []
  const options = {
    home: home.path,
    cwd: EXAMPLES,
    packages,
    print: (line: string) => void lines.push(line),
    progress: new Progress({ clock: systemClock, print: () => undefined }),
    confirm: async (question: string) => (questions.push(question), answer),
  }
  const carryOut = (...words: string[]): Promise<void> => {
    const parsed = parseCommandLine(['plugin', ...words])
    if (parsed.kind !== 'plugin') throw new Error(JSON.stringify(parsed))
    return runPluginCommand(parsed.action, options)
  }
  await carryOut('list')
  expect(lines.splice(0)).toEqual([`There are no plugins in ${join(home.path, 'plugins')}.`])
  await carryOut('install', 'clock')
  expect(questions.splice(0)).toEqual([expect.stringContaining('Run the code in'), 'Install it? [y/N] '])
  expect(lines.splice(0)).toEqual([
    'Clock (clock 1.0.0): Knows what time it is, in any time zone.',
    '  is called at: onBeforeInvoke',
    '  brings the tools: now (READ)',
    '  brings the commands: /time',
    '  has the settings: zone',
    expect.stringContaining('It runs when an admin enables it'),
  ])
  await carryOut('install', './guard', '--yes')
  await carryOut('install', 'clock')
  expect(questions.splice(0)).toEqual([
    expect.stringContaining('Run the code in'),
    'Replace the plugin "clock"? [y/N] ',
  ])
  lines.splice(0)
  answer = false
  await expect(carryOut('install', 'clock')).rejects.toThrow('Nothing was changed.')
  await carryOut('list')
  expect(lines).toEqual([
    'clock 1.0.0: Knows what time it is, in any time zone.',
    expect.stringContaining('guard 1.0.0: Rejects'),
  ])
  const odd = join(home.path, 'odd')
  mkdirSync(odd)
  writeFileSync(join(odd, 'plugin.js'), 'export default 5')
  await expect(carryOut('install', odd, '--yes')).rejects.toThrow('has no default export made by definePlugin')
  cpSync(join(EXAMPLES, 'clock'), join(home.path, 'Clock'), { recursive: true })
  await expect(carryOut('install', join(home.path, 'Clock'))).rejects.toThrow('"Clock" is none')
  cpSync(join(EXAMPLES, 'clock'), join(home.path, 'context'), { recursive: true })
  await expect(carryOut('install', join(home.path, 'context'))).rejects.toThrow(
    /"context" cannot be used: it needs another name: Factotum itself has "activity", "context"/,
  )
  const strong = join(home.path, 'strong')
  mkdirSync(strong)
  writeFileSync(join(strong, 'plugin.js'), STRONG)
  lines.splice(0)
  await carryOut('install', strong, '--yes')
  expect(lines.slice(1, -1)).toEqual([
    '  is called at: onBroadcast',
    '  is given the events: turn_completed',
    '  gives instructions as: the operator',
    '  brings the models: strong/agent',
    '  keeps in the log: thinking',
  ])
  cpSync(join(EXAMPLES, 'clock'), join(home.path, 'plugins', 'session'), { recursive: true })
  lines.splice(0)
  await carryOut('list')
  expect(lines).toContainEqual(expect.stringMatching(/^session: .* it needs another name: Factotum itself has /))
  await carryOut('remove', 'clock')
  expect(existsSync(join(home.path, 'plugins', 'clock'))).toBe(false)
  await expect(carryOut('remove', 'clock')).rejects.toThrow('There is no plugin "clock"')
})

test('an npm package is installed, listed and removed; none of its scripts is run', async () => {
  await using home = await createTemporaryHome()
  const source = join(home.path, 'source')
  mkdirSync(source)
  cpSync(join(EXAMPLES, 'clock', 'plugin.ts'), join(source, 'plugin.ts'))
  const code = stripTypeScriptTypes(readFileSync(join(source, 'plugin.ts'), 'utf8'))
  writeFileSync(join(source, 'index.js'), code)
  const scripts = { install: `touch ${join(home.path, 'script-ran')}` }
  const peerDependencies = { factotum: '*' }
  const described = { name: '@acme/factotum-plugin-clock', version: '1.2.3', type: 'module', exports: './index.js' }
  writeFileSync(join(source, 'package.json'), JSON.stringify({ ...described, scripts, peerDependencies }))
  execFileSync('npm', ['pack', '--ignore-scripts', source], { cwd: home.path, stdio: 'ignore' })
  const lines: string[] = []
  const questions: string[] = []
  const packages: string[] = []
  const said: string[] = []
  const options = {
    home: home.path,
    cwd: home.path,
    packages,
    print: (line: string) => void lines.push(line),
    progress: new Progress({ clock: impatientClock(), print: (line) => said.push(line) }),
    confirm: async (question: string) => questions.push(question) !== refusedAt,
  }
  let refusedAt = 3
  const install = { do: 'install', what: 'acme-factotum-plugin-clock-1.2.3.tgz', yes: false } as const
  await expect(runPluginCommand(install, options)).rejects.toThrow('Nothing was changed.')
  expect(existsSync(join(home.path, 'node_modules'))).toBe(false)
  refusedAt = 0
  questions.splice(0)
  lines.splice(0)
  said.splice(0)
  await runPluginCommand(install, options)
  // What takes long is said again.
  expect([...new Set(said)]).toEqual([
    expect.stringMatching(/^… npm fetches .*1\.2\.3\.tgz$/),
    expect.stringMatching(/^… npm installs .*1\.2\.3\.tgz$/),
  ])
  expect(questions).toEqual([
    expect.stringMatching(/^Fetch the npm package .*1\.2\.3\.tgz\?/),
    expect.stringContaining('Run the code of @acme/factotum-plugin-clock 1.2.3'),
    'Install it? [y/N] ',
  ])
  expect(lines.at(0)).toBe('Clock (clock 1.0.0): Knows what time it is, in any time zone.')
  expect(lines.at(-1)).toContain('[plugins] packages = ["@acme/factotum-plugin-clock"]')
  expect(existsSync(join(home.path, 'script-ran'))).toBe(false)
  expect(readdirSync(join(home.path, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@acme'])
  expect(readdirSync(home.path).filter((name) => name.startsWith('.plugin-'))).toEqual([])

  packages.push('@acme/factotum-plugin-clock')
  lines.splice(0)
  await runPluginCommand({ do: 'list' }, options)
  expect(lines).toEqual(['clock 1.0.0: Knows what time it is, in any time zone.'])
  await runPluginCommand({ do: 'remove', name: 'clock' }, options)
  expect(existsSync(join(home.path, 'node_modules', '@acme', 'factotum-plugin-clock'))).toBe(false)
  lines.splice(0)
  await runPluginCommand({ do: 'list' }, options)
  expect(lines).toEqual([expect.stringMatching(/^@acme\/factotum-plugin-clock: no plugin; it is not installed/)])
  for (const what of ['git+ssh://example.org/x', 'https://example.org/x.tgz', '--prefix', '../nowhere', 'Upper']) {
    await expect(runPluginCommand({ do: 'install', what, yes: true }, options)).rejects.toThrow('There is no plugin in')
  }
  // A folder that is mistyped: nothing is fetched unasked.
  lines.splice(0)
  questions.splice(0)
  await expect(runPluginCommand({ do: 'install', what: 'clokc', yes: true }, options)).rejects.toThrow(
    /^There is no folder .*clokc\. .* leave out --yes, or name its version \(clokc@latest\)/,
  )
  refusedAt = 1
  await expect(runPluginCommand({ do: 'install', what: 'clokc', yes: false }, options)).rejects.toThrow('Nothing was')
  expect(lines).toEqual([
    expect.stringMatching(/^There is no folder .*clokc; it is taken for the name of an npm package/),
  ])
  expect(questions).toEqual([expect.stringContaining('Fetch the npm package clokc?')])
})

test.each([
  [['plugin'], 'needs one of'],
  [['plugin', 'instal', 'x'], 'did you mean "install"'],
  [['plugin', 'install'], 'needs the folder'],
  [['plugin', 'remove'], 'needs the name'],
  [['plugin', 'list', 'x'], 'one word too many'],
  [['plugin', 'list', '--yes'], 'takes no option --yes'],
])('%j is refused', (words, message) => {
  expect(parseCommandLine(words)).toMatchObject({ kind: 'misuse', message: expect.stringContaining(message) })
})
