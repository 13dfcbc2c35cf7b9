/** The server of a user without an entry in passwd and without HOME, as a container has that runs as a number. */
import { chown } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { serverProgram } from '../harness/server-program.ts'
import { converse } from '../harness/story.ts'

const UID = 54_321
const isRoot = process.getuid?.() === 0
const reason = isRoot ? '' : ' [SKIPPED: root alone can be another user]'

test.skipIf(!isRoot)(`it starts, and turns run${reason}`, async () => {
  await using cluster = await Cluster.begin()
  for (const path of [cluster.home, cluster.path('config.toml')]) await chown(path, UID, UID)
  const another = ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', '--']
  const server = await cluster.start({ command: [...another, process.execPath, await serverProgram()] })
  expect(await converse(clientOf(server, 'ada'), 'cli:number', 'Hello')).toMatchObject({ status: 'DONE' })
})
