import { expect, test } from 'vitest'
import { DEFAULT_COMMAND_LIMITS } from '../../execution/command-limits.ts'
import { describeCaller } from './context.ts'

const MIB = 1024 * 1024

test('a planner knows what commands of role USER may use', () => {
  const { memoryBytes, tmpBytes, fileBytes, workspaceBytes, workspaceFileCount } = DEFAULT_COMMAND_LIMITS
  const rights = describeCaller({ callerName: 'anna', callerRole: 'USER' })
  expect(rights).toContain(`${memoryBytes / MIB} MiB of memory and ${tmpBytes / MIB} MiB of /tmp`)
  expect(rights).toContain(`a file may have ${fileBytes / MIB} MiB`)
  expect(rights).toContain(
    `the workspace ${workspaceBytes / MIB / 1024} GiB and ${workspaceFileCount.toLocaleString('en')} files`,
  )
  expect(describeCaller({ callerName: 'ada', callerRole: 'ADMIN' })).not.toContain('MiB')
})
