/** The process that starts commands (`src/execution/host/command-host-main.ts`), for tests that kill or stop it. */
import { readProcess } from '../../src/execution/process/process-tree.ts'
import { findProcesses } from './outside-world.ts'

/** Undefined: there is none at the moment. */
export function hostOf(server: number | undefined): number | undefined {
  return findProcesses('command-host-main').find((pid) => readProcess(pid)?.parentPid === server)
}
