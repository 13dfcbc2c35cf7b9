/** (k) How soon those who watch their lists see that a session with 50 participants has changed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { SessionUpdatesDocument, UpdateSessionDocument } from '../test/generated/graphql.ts'
import { ApiClient } from '../test/harness/api-client.ts'
import { median, percentile, show } from './figures.ts'
import { TOKENS } from './many-sessions.ts'
import { TOKEN, type Stage } from './stage.ts'
import type { Row } from './table.ts'

const SESSION = 'many:1'
/** A session is told of at most four times a second. */
const PAUSE_MS = 300
const WARM_UPS = 3
/** Subscribing is not confirmed by the protocol. */
const SUBSCRIBE_MS = 500

export async function measureLiveList(stage: Stage, { changes }: { changes: number }): Promise<Row> {
  const admin = new ApiClient(stage.url, TOKEN)
  const watchers = [TOKEN, TOKENS.everywhere, TOKENS.wide].map((token) => new ApiClient(stage.url, token))
  const watches = watchers.map((client) => client.watch(SessionUpdatesDocument, {}))
  await sleep(SUBSCRIBE_MS)
  const times: number[] = []
  for (let n = 0; n < changes + WARM_UPS; n += 1) {
    const description = `Changed for the ${n}th time`
    const beganMs = performance.now()
    await admin.run(UpdateSessionDocument, { input: { id: SESSION, description } })
    await Promise.all(
      watches.map((watch) => watch.until((data) => data.sessionUpdates.session?.description === description)),
    )
    if (n >= WARM_UPS) times.push(performance.now() - beganMs)
    await sleep(PAUSE_MS)
  }
  for (const watch of watches) await watch.close()
  const what = '(k) a change to the live lists of admin, user and connector, ms'
  return { what, value: show(median(times)), floor: '', ratio: '', note: `p99 ${show(percentile(times, 0.99))} ms` }
}
