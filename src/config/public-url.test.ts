import { expect, test } from 'vitest'
import { PublicUrl } from './public-url.ts'
import { parseConfig } from './parse-config.ts'

function publicUrl(setting: string, listening: string): string {
  const parsed = parseConfig(
    `[users.a]\nrole = "admin"\n[tokens.a]\nkind = "user"\nuser = "a"\ntoken = "0123456789abcdef"\n[settings]\n${setting}`,
    { production: false },
  )
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  const url = new PublicUrl({ current: () => parsed.config })
  url.listensAt(listening)
  return url.linkTo('/pub/x')
}

test.each([
  ['', 'http://127.0.0.1:4000', 'http://127.0.0.1:4000/pub/x'],
  ['', 'http://0.0.0.0:4000', 'http://localhost:4000/pub/x'],
  ['', 'http://[::]:4000', 'http://localhost:4000/pub/x'],
  ['public_url = "https://a.example"', 'http://127.0.0.1:4000', 'https://a.example/pub/x'],
  ['public_url = "https://a.example/agent/"', 'http://127.0.0.1:4000', 'https://a.example/agent/pub/x'],
])('a link, with the setting %j, of a server at %s', (setting, listening, link) => {
  expect(publicUrl(setting, listening)).toBe(link)
})
