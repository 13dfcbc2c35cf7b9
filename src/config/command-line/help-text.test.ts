import { expect, test } from 'vitest'
import { describeEnvironment } from '../schema/environment.ts'
import { helpText } from './help-text.ts'
import { describeSettings } from '../schema/settings-schema.ts'

const help = helpText({ rehearsalGrammar: 'run: <command>\nwait: <ms>\n' })

function lineOf(word: string): string {
  return help.split('\n').find((line) => line.trim().startsWith(`${word} `)) ?? ''
}

test.each(describeEnvironment())('--help explains the variable $name', ({ name, defaultValue, description }) => {
  expect(description).not.toBe('')
  expect(lineOf(name)).toContain(defaultValue ?? '')
  expect(lineOf(name)).toContain(description)
})

test.each(describeSettings(false))('--help explains the setting $key', ({ key, description }) => {
  expect(lineOf(key)).toContain(description)
})

const topics = [
  '--port',
  '--host',
  '--home',
  '--check-config',
  '--version',
  '--help',
  'factotum token',
  'factotum skill install',
  'factotum skill list',
  'factotum skill update',
  'factotum skill remove',
  'factotum session export',
  'factotum session import',
  'npx factotum',
  'GraphiQL',
  '.env',
]
test.each(topics)('--help explains %s', (topic) => {
  expect(help).toContain(topic)
})

const folders = ['roles', 'skills', 'plugins', 'context', 'mcp', 'programs', 'sessions', 'pub', 'node_modules', 'pg']
test.each(folders)('--help explains the folder %s of the home', (folder) => {
  expect(help).toMatch(new RegExp(`^  ${folder}/\\S* +\\S`, 'm'))
})

test('--help ends with the grammar of the rehearsal model', () => {
  expect(help.endsWith('\n  run: <command>\n  wait: <ms>')).toBe(true)
})
