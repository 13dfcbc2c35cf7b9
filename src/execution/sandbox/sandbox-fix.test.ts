import { describe, expect, test } from 'vitest'
import { installFix, repairFix, type MachineFacts } from './sandbox-fix.ts'

const debian: MachineFacts = {
  platform: 'linux',
  distributions: ['debian'],
  isContainer: false,
  isKubernetes: false,
  maxUserNamespaces: '15000',
  unprivilegedUserNamespaces: '1',
  appArmorRestrictsUserNamespaces: null,
}
const NO_NAMESPACE = 'bwrap: No permissions to create new namespace'

describe('what to do about the sandbox', () => {
  test.each<[what: string, facts: MachineFacts, says: string]>([
    ['Debian', debian, 'apt-get install bubblewrap'],
    [
      'a child of Debian',
      { ...debian, distributions: ['linuxmint', 'ubuntu', 'debian'] },
      'apt-get install bubblewrap',
    ],
    ['Fedora', { ...debian, distributions: ['fedora'] }, 'dnf install bubblewrap'],
    ['an unknown Linux', { ...debian, distributions: ['own'] }, 'Install bubblewrap 0.8 or newer.'],
    ['macOS', { ...debian, platform: 'darwin' }, 'Run Factotum on Linux'],
  ])('to install it on %s', (_, facts, says) => {
    expect(installFix(facts)).toContain(says)
  })

  test('where its home is full', () => {
    const message = 'ENOSPC: no space left on device, write'
    expect(repairFix(message, { ...debian, isContainer: true })).toContain('Make space on the disk')
  })

  test.each<{ when: string; message: string; facts: MachineFacts; says: string }>([
    {
      when: 'in a container',
      message: NO_NAMESPACE,
      facts: { ...debian, isContainer: true },
      says: '--security-opt seccomp',
    },
    {
      when: 'in a pod whose /proc is covered',
      message: "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      facts: { ...debian, isContainer: true, isKubernetes: true },
      says: '"procMount: Unmasked"',
    },
    {
      when: 'in a pod without namespaces',
      message: NO_NAMESPACE,
      facts: { ...debian, isContainer: true, isKubernetes: true },
      says: 'seccomp profile',
    },
    {
      when: 'with AppArmor in the way',
      message: NO_NAMESPACE,
      facts: { ...debian, appArmorRestrictsUserNamespaces: '1' },
      says: '/etc/apparmor.d/bwrap',
    },
    {
      when: 'with user namespaces off',
      message: NO_NAMESPACE,
      facts: { ...debian, unprivilegedUserNamespaces: '0' },
      says: 'kernel.unprivileged_userns_clone=1',
    },
    {
      when: 'with no user namespaces left',
      message: NO_NAMESPACE,
      facts: { ...debian, maxUserNamespaces: '0' },
      says: 'user.max_user_namespaces',
    },
    { when: 'when it is old', message: 'bwrap: Unknown option --disable-userns', facts: debian, says: '0.8 or newer' },
    {
      when: 'where the server may open few files',
      message: '/bin/bash: line 1: ulimit: open files: cannot modify limit: Operation not permitted',
      facts: { ...debian, isContainer: true },
      says: 'LimitNOFILE',
    },
    { when: 'for no known reason', message: NO_NAMESPACE, facts: debian, says: 'bwrap --unshare-all' },
    { when: 'when a check found a hole', message: 'A command can gain rights.', facts: debian, says: 'report it' },
  ])('to repair it $when', ({ message, facts, says }) => {
    expect(repairFix(message, facts)).toContain(says)
  })
})
