/** `factotum plugin …` with the examples, as a person at a terminal would use it. */
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseCommandLine } from '../../src/config/command-line/command-line.ts'
import { runPluginCommand } from '../../src/plugins/plugin-command.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples/plugins', import.meta.url))

test('a plugin is installed after two questions, listed, replaced and removed', async () => {
  await using home = await createTemporaryHome()
  const lines: string[] = []
  const questions: string[] = []
  let answer = true
  const options = {
    home: home.path,
    cwd: EXAMPLES,
    print: (line: string) => void lines.push(line),
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
  await expect(carryOut('install', join(home.path, 'context'))).rejects.toThrow('comes with Factotum')
  await carryOut('remove', 'clock')
  expect(existsSync(join(home.path, 'plugins', 'clock'))).toBe(false)
  await expect(carryOut('remove', 'clock')).rejects.toThrow('There is no plugin "clock"')
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
