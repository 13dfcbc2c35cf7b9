import { expect, test } from 'vitest'
import { createLogger } from '../../platform/logger.ts'
import { Database } from '../../store/database.ts'
import { explainAllowance } from './workspace-allowance.ts'

/** Never reached: the limit of a workspace is explained without it. */
const database = new Database({
  url: 'postgresql://127.0.0.1:1/none',
  maxConnections: 1,
  logger: createLogger({ level: 'silent', pretty: false }),
})
const printed = { stdout: '', stderr: '', truncated: false, isWorkspaceFull: true } as const
/** Most of it is left, so the quota is not what kept the program from writing. */
const allowance = { opener: '@mia', quotaBytes: 5e9, usedBytes: 1e9, maxBytes: 5e9, mayOnlyShrink: false }

test.each([null, allowance])(
  'a workspace that has all that any may have says so, whatever the quota leaves',
  async (left) => {
    const limit = 'A workspace may have 1024.0 MiB and 200000 files.'
    expect(await explainAllowance({ database }, left, { kind: 'killed', cause: 'disk', ...printed })).toBe(
      `${limit} Delete those that are not needed.`,
    )
    expect(await explainAllowance({ database }, left, { kind: 'exited', exitCode: 153, ...printed })).toBe(
      `${limit} This one had more, so this program could delete files, but write none. Delete those that are not needed.`,
    )
  },
)
