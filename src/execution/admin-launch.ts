/**
 * How an ADMIN's command starts: with the rights of the server, on its files, devices and network, in a clean environment.
 * Where bubblewrap works, it gives the command a PID namespace of its own, so that no process survives the task.
 */
import { cleanEnvironment } from './clean-environment.ts'
import { STATUS_FD, type Launch } from './launch.ts'

export interface AdminLaunchInput {
  readonly command: string
  readonly workspace: string
  /** Path of a bubblewrap that has been seen to work, or null. */
  readonly bubblewrap: string | null
}

const SHELL = '/bin/bash'

export function planAdminLaunch({ command, workspace, bubblewrap }: AdminLaunchInput): Launch {
  // "--": a command may begin with a dash.
  const shellArgs = ['-c', '--', command]
  const shared = { cwd: workspace, environment: cleanEnvironment(workspace, false), account: null, seccompPath: null }
  if (bubblewrap === null) return { ...shared, isolation: 'PROCESS_GROUP', file: SHELL, args: shellArgs }
  const namespace = ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', '--die-with-parent']
  const args = [...namespace, '--json-status-fd', String(STATUS_FD), '--', SHELL, ...shellArgs]
  return { ...shared, isolation: 'PID_NAMESPACE', file: bubblewrap, args }
}
