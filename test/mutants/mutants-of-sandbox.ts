/** Mutants of the sandbox: what a command of role USER may see, reach and leave behind. */
import type { Mutant } from './mutant.ts'

const PROFILE = 'src/execution/sandbox/sandbox-profile.ts'
const HOSTILE = 'test/sandbox/hostile-commands.test.ts'

export const MUTANTS_OF_SANDBOX: readonly Mutant[] = [
  {
    name: 'sandbox-with-the-network',
    promise: 'A command of role USER has no network.',
    file: PROFILE,
    find: "...(hasNetwork ? [] : ['net'])",
    replace: "...(hasNetwork ? ['net'] : [])",
    tests: [HOSTILE],
  },
  {
    name: 'sandbox-writes-the-system',
    promise: 'A command of role USER changes no program of the machine.',
    file: PROFILE,
    find: "['--ro-bind', '/usr', '/usr']",
    replace: "['--bind', '/usr', '/usr']",
    tests: [HOSTILE],
  },
  {
    name: 'sandbox-writes-its-root',
    promise: 'A command of role USER writes into its workspace and a small /tmp alone.',
    file: PROFILE,
    find: "SANDBOX_WORKSPACE, '--remount-ro', '/', '--chdir'",
    replace: "SANDBOX_WORKSPACE, '--chdir'",
    tests: [HOSTILE],
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
    tests: ['test/sandbox/server-death.test.ts', 'test/sandbox/killed-at-start.test.ts'],
  },
  {
    name: 'sandbox-makes-namespaces',
    promise: 'A command of role USER makes no namespace of its own.',
    file: PROFILE,
    find: "'--disable-userns', ",
    replace: '',
    tests: [HOSTILE],
  },
  {
    name: 'sandbox-sees-processes',
    promise: 'A command of role USER sees no process but its own.',
    file: PROFILE,
    find: "['user', 'ipc', 'pid',",
    replace: "['user', 'ipc',",
    tests: [HOSTILE],
  },
  {
    name: 'sandbox-with-all-calls',
    promise: 'A command of role USER runs under the filter of system calls.',
    file: PROFILE,
    find: "return ['--seccomp', String(SECCOMP_FD), '--json-status-fd'",
    replace: "return ['--json-status-fd'",
    tests: [HOSTILE],
  },
  {
    name: 'sandbox-with-the-environment',
    promise: 'A command gets nothing of the environment of the server.',
    file: PROFILE,
    find: 'environment: { ...cleanEnvironment(homeOf(skill), true),',
    replace: 'environment: { ...process.env, ...cleanEnvironment(homeOf(skill), true),',
    tests: ['test/sandbox/command-runner.test.ts'],
  },
  {
    name: 'sandbox-with-open-files',
    promise: 'A command inherits no open file of the server.',
    file: PROFILE,
    find: "[closeFiles, 'unset fd',",
    replace: "['unset fd',",
    tests: [HOSTILE],
  },
  {
    name: 'sandbox-without-count',
    promise: 'A command of role USER starts a bounded number of processes.',
    file: PROFILE,
    find: ' -u ${processCount} -n',
    replace: ' -u ${processCount * 1000} -n',
    tests: [HOSTILE],
  },
  {
    name: 'sandbox-with-a-large-tmp',
    promise: '/tmp of a command is bounded.',
    file: PROFILE,
    find: 'String(limits.tmpBytes)',
    replace: 'String(limits.tmpBytes * 1000)',
    tests: [HOSTILE],
  },
]
