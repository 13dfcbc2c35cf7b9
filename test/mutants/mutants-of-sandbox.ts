/** Mutants of the sandbox: what a command of role USER may see, reach and leave behind. */
import type { Mutant } from './mutant.ts'

const PROFILE = 'src/execution/sandbox/sandbox-profile.ts'
const KERNEL = 'test/sandbox/kept-by-the-kernel.test.ts'

export const MUTANTS_OF_SANDBOX: readonly Mutant[] = [
  {
    name: 'sandbox-with-the-network',
    promise: 'A command of role USER has no network.',
    file: PROFILE,
    find: "...(hasNetwork ? [] : ['net'])",
    replace: "...(hasNetwork ? ['net'] : [])",
    tests: [KERNEL],
  },
  {
    name: 'sandbox-writes-the-system',
    promise: 'A command of role USER changes no program of the machine.',
    file: PROFILE,
    find: "['--ro-bind', '/usr', '/usr']",
    replace: "['--bind', '/usr', '/usr']",
    tests: [KERNEL],
  },
  {
    name: 'sandbox-writes-its-root',
    promise: 'A command of role USER writes into its workspace and a small /tmp alone.',
    file: PROFILE,
    find: "SANDBOX_WORKSPACE, '--remount-ro', '/', '--chdir'",
    replace: "SANDBOX_WORKSPACE, '--chdir'",
    tests: [KERNEL],
  },
  {
    name: 'sandbox-writes-a-skill',
    promise: 'A command changes nothing of the skill that it runs.',
    file: PROFILE,
    find: "target }) => ['--ro-bind', source, target]),\n    ['--bind', workspace",
    replace: "target }) => ['--bind', source, target]),\n    ['--bind', workspace",
    tests: ['test/sandbox/skills.test.ts'],
  },
  {
    name: 'sandbox-outlives-its-host',
    promise: 'The kernel ends a command with its host, however that ends.',
    file: PROFILE,
    find: ", '--new-session', '--die-with-parent']",
    replace: ", '--new-session']",
    tests: [KERNEL],
  },
  {
    name: 'sandbox-sees-processes',
    promise: 'A command of role USER sees no process but its own.',
    file: PROFILE,
    find: "['user', 'ipc', 'pid',",
    replace: "['user', 'ipc',",
    tests: [KERNEL],
  },
  {
    name: 'sandbox-with-all-calls',
    promise: 'A command of role USER runs under the filter of system calls.',
    file: PROFILE,
    find: "return ['--seccomp', String(SECCOMP_FD), '--json-status-fd'",
    replace: "return ['--json-status-fd'",
    tests: [KERNEL],
  },
  {
    name: 'sandbox-with-the-environment',
    promise: 'A command gets nothing of the environment of the server.',
    file: PROFILE,
    find: 'environment: { ...common,',
    replace: 'environment: { ...process.env, ...common,',
    tests: ['test/sandbox/command-runner.test.ts'],
  },
  {
    name: 'sandbox-with-open-files',
    promise: 'A command inherits no open file of the server.',
    file: PROFILE,
    find: "[closeFiles, 'unset fd',",
    replace: "['unset fd',",
    tests: [KERNEL],
  },
  {
    name: 'sandbox-without-count',
    promise: 'A command of role USER starts a bounded number of processes.',
    file: PROFILE,
    find: ' -u ${processCount} -n',
    replace: ' -n',
    tests: [KERNEL],
  },
]
