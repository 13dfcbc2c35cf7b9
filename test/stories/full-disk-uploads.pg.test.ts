/** A file, or a session, that is sent while the disk of the workspaces is full: the sender learns it, and can go on. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sessionsFolder } from '../../src/execution/workspace/workspace.ts'
import { select } from '../harness/plugins.ts'
import { converse, Story, tokenOf } from '../harness/story.ts'

const headers = { authorization: `Bearer ${tokenOf('ada')}` }

test.skipIf(process.geteuid?.() !== 0)(
  'what does not fit is answered with a code, and leaves nothing (root)',
  async () => {
    await using story = await Story.begin()
    await converse(story.as('ada'), 'cli:disk', 'hi')
    const folder = sessionsFolder(story.home)
    mkdirSync(folder, { recursive: true })
    const send = (path: string, method: string, bytes: number) =>
      fetch(`${story.app.url}${path}`, { method, headers, body: Buffer.alloc(bytes, 'x') })
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=711', 'none', folder])
    try {
      for (const [path, method] of [
        ['/files/cli%3Adisk/large.txt', 'PUT'],
        ['/sessions/import', 'POST'],
      ] as const) {
        const answer = await send(path, method, 2 << 20)
        expect(answer.status).toBe(500)
        expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'STORAGE_FULL' } }] })
        expect(readdirSync(folder)).toEqual([])
      }
      // There is space for it once, and not for the one of the admins' workspace.
      expect((await send('/files/cli%3Afirst/half.txt', 'PUT', 700_000)).status).toBe(500)
      expect(await select(story, `SELECT id FROM sessions WHERE id = 'cli:first'`)).toEqual([])
      expect(readdirSync(folder)).toEqual([])
      expect((await send('/files/cli%3Adisk/small.txt', 'PUT', 1000)).status).toBe(201)
    } finally {
      spawnSync('umount', [folder])
    }
  },
)
