import { describe, expect, test } from 'vitest'
import type { Viewer } from '../../core/identity.ts'
import type { Config } from '../config.ts'
import { parseConfig } from '../parse-config.ts'
import { authenticate } from './authenticate.ts'
import { must } from '../../platform/must.ts'
import { mayOpenSession, namespaceAllows, openerName, ownNamespace, seesAllSessions } from './session-access.ts'

const TOML = `
[users.anna]
role = "user"
skills = []
[users.marco]
role = "admin"
[tokens.annas-phone]
kind = "user"
user = "anna"
token = "annas-phone"
[tokens.marco]
kind = "user"
user = "marco"
token = "marco"
[tokens.bot]
kind = "connector"
token = "bot"
[tokens.discord-2]
kind = "connector"
namespace = "discord"
token = "discord-2"
[tokens.everywhere]
kind = "connector"
namespace = "*"
token = "everywhere"
`
const config = read(TOML)
const PEOPLE = ['annas-phone', 'marco', 'bot', 'discord-2', 'everywhere'] as const
type Name = (typeof PEOPLE)[number]
const as = (name: Name): Viewer => must(authenticate(config, name), 'a known token')

describe('which sessions a viewer may touch', () => {
  test('only users of role USER must participate', () => {
    expect(PEOPLE.map((name) => seesAllSessions(as(name)))).toEqual([false, true, true, true, true])
  })

  test.each([
    ['discord:1', 'discord-2'],
    ['discord:', 'discord-2'],
    ['discord', ''],
    ['discord2:1', ''],
    ['Discord:1', ''],
    ['web:discord:1', ''],
    ['discord-2:1', ''],
    // A connector without a namespace has its own name.
    ['bot:1', 'bot'],
    ['@bot:1', ''],
  ])('of the confined connectors %s is open to: %s', (sessionId, expected) => {
    const confined = (['bot', 'discord-2'] as const).filter((name) => namespaceAllows(as(name), sessionId))
    expect(confined.join(' ')).toBe(expected)
    const others = ['annas-phone', 'marco', 'everywhere'] as const
    expect(others.every((name) => namespaceAllows(as(name), sessionId))).toBe(true)
  })
})

describe('which sessions a viewer may open', () => {
  test('everybody has a name space of their own', () => {
    expect(PEOPLE.map((name) => ownNamespace(as(name)))).toEqual(['@anna', '@marco', 'bot', 'discord', 'everywhere'])
  })

  test.each([
    ['@anna:1', 'annas-phone'],
    ['@anna:web:1', 'annas-phone'],
    ['@marco:1', 'marco'],
    ['@anna', ''],
    ['@nobody:1', ''],
    ['@bot:1', ''],
    ['bot:1', 'bot'],
    ['discord:1', 'discord-2'],
    ['everywhere:1', 'everywhere'],
    ['schedule:1', ''],
    // In no viewer's name space: for viewers of all sessions, to whom a taken id shows nothing that they cannot see.
    ['cli:demo', 'marco everywhere'],
    ['anna:1', 'marco everywhere'],
    ['discord-2:1', 'marco everywhere'],
    ['plain', 'marco everywhere'],
    [':odd', 'marco everywhere'],
  ])('%s is opened by: %s', (sessionId, expected) => {
    expect(PEOPLE.filter((name) => mayOpenSession(config, as(name), sessionId)).join(' ')).toBe(expected)
  })
})

test("what a user opened is theirs with any token; what a connector opened is that token's", () => {
  expect(PEOPLE.map((name) => openerName(as(name)))).toEqual(['@anna', '@marco', 'bot', 'discord-2', 'everywhere'])
})

function read(toml: string): Config {
  const parsed = parseConfig(toml, { production: false })
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}
