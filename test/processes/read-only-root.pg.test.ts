/** The server as an image runs it (deploy/): its root is read-only, and only its home and /tmp can be written to. */
import { expect, test } from 'vitest'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { askOperators } from '../harness/ask-operators.ts'
import { serverProgram } from '../harness/server-program.ts'
import { converse } from '../harness/story.ts'
import { findSandbox, skipReason } from '../sandbox/sandbox-support.ts'

const sandbox = await findSandbox()

test.skipIf(skipReason(sandbox) !== '')(
  'with a read-only root it is ready, runs commands and publishes files',
  async () => {
    await using cluster = await Cluster.begin()
    const { home } = cluster
    const mounts = [
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      '--bind',
      '/tmp',
      '/tmp',
      '--bind',
      home,
      home,
    ]
    const program = [process.execPath, await serverProgram()]
    const server = await cluster.start({ command: ['bwrap', ...mounts, '--die-with-parent', '--', ...program] })
    expect((await askOperators(server.url, '/ready')).status).toBe(200)
    const ada = clientOf(server, 'ada')
    const turn = await converse(ada, 'cli:image', 'run: mkdir -p pub; echo $((6 * 7)) > pub/answer.txt')
    expect(turn.status).toBe('DONE')
    expect(await cluster.query('SELECT name FROM published_files')).toEqual([{ name: 'answer.txt' }])
  },
)
