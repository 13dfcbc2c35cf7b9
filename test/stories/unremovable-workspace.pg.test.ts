/**
 * Something is mounted in the workspace of a session that is deleted: the session is gone and the caller learns it,
 * and the sweep removes everything else meanwhile, and the rest once it is unmounted. On a disk that takes no changes
 * nothing goes.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepWorkspaces } from '../../src/execution/workspace/set-aside-workspace.ts'
import { adminWorkspacePath, sessionsFolder } from '../../src/execution/workspace/workspace.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { DeleteSessionDocument, SessionDocument } from '../generated/graphql.ts'
import { converse, Story } from '../harness/story.ts'

const lines: string[] = []
let story: Story
beforeAll(async () => {
  story = await Story.begin({ log: (line) => void lines.push(line) })
})
afterAll(() => story?.[Symbol.asyncDispose]())

test.skipIf(process.geteuid?.() !== 0)('what cannot be removed keeps nothing else (needs root)', async () => {
  const { home } = story
  const sessionId = 'cli:mounted'
  await converse(story.as('ada'), sessionId, 'run: mkdir -p in/side')
  execFileSync('mount', ['-t', 'tmpfs', 'none', join(adminWorkspacePath(home, sessionId), 'in', 'side')])
  const left = () => readdirSync(sessionsFolder(home)).filter((name) => name.startsWith('.deleted-'))
  try {
    const { deleteSession } = await story.as('ada').run(DeleteSessionDocument, { id: sessionId })
    expect(deleteSession.__typename).toBe('DeleteSessionPayload')
    expect(left()).toHaveLength(1)
    expect(lines.join('')).toMatch(/in\/side.*busy.*could not be removed; retrying every hour/)
    for (const name of 'abcdefgh') mkdirSync(join(sessionsFolder(home), `.deleted-${name}`, 'in'), { recursive: true })
    await sweep(home)
    expect(left()).toHaveLength(1)
  } finally {
    unmountBelow(home)
  }
  await sweep(home)
  expect(left()).toEqual([])
})

test.skipIf(process.geteuid?.() !== 0)(
  'a disk that is read-only: nothing of the session goes (needs root)',
  async () => {
    const sessionId = 'cli:read-only'
    const ada = story.as('ada')
    await converse(ada, sessionId, 'run: touch kept')
    const sessions = sessionsFolder(story.home)
    execFileSync('mount', ['--bind', sessions, sessions])
    try {
      execFileSync('mount', ['-o', 'remount,bind,ro', sessions])
      await expect(ada.run(DeleteSessionDocument, { id: sessionId })).rejects.toThrow(
        'The disk of this server takes no changes; nothing was removed.',
      )
    } finally {
      unmountBelow(story.home)
    }
    expect((await ada.run(SessionDocument, { id: sessionId })).session).toMatchObject({ status: 'IDLE' })
    expect(readdirSync(adminWorkspacePath(story.home, sessionId))).toContain('kept')
    const { deleteSession } = await ada.run(DeleteSessionDocument, { id: sessionId })
    expect(deleteSession.__typename).toBe('DeleteSessionPayload')
  },
)

function unmountBelow(home: string): void {
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [, target = ''] = line.split(' ')
    if (target.startsWith(`${home}/`)) execFileSync('umount', [target])
  }
}

async function sweep(home: string): Promise<void> {
  const logger = createLogger({ level: 'silent', pretty: false })
  await sweepWorkspaces({ home, hostClock: systemClock, logger }, new AbortController().signal)
}
