/**
 * Global set-up of the tests: the sandbox tests need bubblewrap. Where it can be had without asking (root on Debian or
 * Ubuntu) it is installed, and that is said; elsewhere it is said what will be skipped and how to have it run.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { installFix, readMachineFacts } from '../../src/execution/sandbox/sandbox-fix.ts'

const PATHS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap']

export default function ensureBubblewrap(): void {
  if (isInstalled()) return
  const facts = readMachineFacts()
  const canInstall =
    process.geteuid?.() === 0 && facts.distributions.includes('debian') && existsSync('/usr/bin/apt-get')
  if (canInstall) {
    say('bubblewrap is missing, and the sandbox tests need it: installing it with "apt-get install -y bubblewrap".')
    // The list of packages may be missing or old: the first try says.
    if (!succeeds('install', '-y', 'bubblewrap') && succeeds('update')) succeeds('install', '-y', 'bubblewrap')
  }
  if (isInstalled()) return say('bubblewrap is installed.')
  say(
    `The tests of test/sandbox that need bubblewrap are SKIPPED${canInstall ? ': it could not be installed' : ''}. ${installFix(facts)}`,
  )
}

function isInstalled(): boolean {
  return PATHS.some((path) => existsSync(path))
}

function succeeds(...args: readonly string[]): boolean {
  try {
    execFileSync('apt-get', args, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return true
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    say(`"apt-get ${args.join(' ')}" failed: ${output}`)
    return false
  }
}

function say(line: string): void {
  process.stderr.write(`[sandbox tests] ${line}\n`)
}
