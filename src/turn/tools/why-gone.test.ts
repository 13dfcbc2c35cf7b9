import { expect, test } from 'vitest'
import { whyGone } from './why-gone.ts'

const ADMIN = { role: 'ADMIN', tools: [] } as const
const USER = { role: 'USER', tools: ['weather__*'] } as const
const CAUSE = 'connect ECONNREFUSED 10.0.0.7:8080, /srv/factotum/mcp/weather.js'
const SNAPSHOT = { problems: new Map(['weather', 'gmail'].map((source) => [source, CAUSE])) }

test('the cause stays with the admins: a session says only that the source is not there', () => {
  for (const user of [ADMIN, USER]) {
    const said = whyGone(SNAPSHOT, 'weather__today', user)
    expect(said).toContain('weather, which it belongs to, is not there now')
    expect(said).not.toMatch(/10\.0\.0\.7|srv/)
  }
})

test('of a source that the user may not use nothing is said, nor of one without a problem', () => {
  expect(whyGone(SNAPSHOT, 'gmail__send', USER)).toBeNull()
  expect(whyGone(SNAPSHOT, 'clock__now', ADMIN)).toBeNull()
})
