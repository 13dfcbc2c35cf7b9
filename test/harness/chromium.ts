/** The browser that tests drive, where this machine has one. */
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'
import { must } from '../../src/platform/must.ts'
import { PATIENCE_MS } from './patience.ts'

/** Debian's build without windows takes three quarters of the CPU for the same pages. */
const PROGRAM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path))

export const hasBrowser = PROGRAM !== undefined
/** For the name of what is skipped. */
export const withoutBrowser = hasBrowser ? '' : ' (skipped: no Chromium on this machine)'

/** Without its sandbox it runs as root, too; the only pages that it opens are ours. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = must(PROGRAM, 'a browser')
  return chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: PATIENCE_MS })
}
