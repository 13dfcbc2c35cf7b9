/** (g) The memory of an idle session in the server: it is rows, so this should be nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { show } from './figures.ts'
import { JsonClient } from './json-client.ts'
import { residentBytes } from './process-usage.ts'
import { TOKEN, type Stage } from './stage.ts'
import type { Row } from './table.ts'

const OPEN = `mutation ($input: OpenSessionInput!) { openSession(input: $input) { __typename } }`
const AT_ONCE = 16
const SESSIONS = 5000

export async function measureIdleSessions(stage: Stage): Promise<Row[]> {
  // As many before, so that what grows with the work done is not taken for what grows with the sessions.
  await open(stage, 'warm')
  const before = residentBytes(stage.pid)
  await open(stage, 'idle')
  const kB = (residentBytes(stage.pid) - before) / SESSIONS / 1000
  return [{ what: `(g) idle session, kB, ${show(SESSIONS)} opened`, value: show(kB), floor: '', ratio: '', note: '' }]
}

async function open(stage: Stage, name: string): Promise<void> {
  const http = new JsonClient(TOKEN)
  let opened = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (opened < SESSIONS) {
        opened += 1
        await http.post(`${stage.url}/graphql`, { query: OPEN, variables: { input: { id: `${name}:${opened}` } } })
      }
    }),
  )
  http.close()
  await sleep(5000)
}
