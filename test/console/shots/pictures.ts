/** Which pages are shown, and what must be on them first. Used by `npm run shots` and by the test of all pages. */
import type { Page } from 'playwright-core'
import { SHOWN_SESSION, SPOKEN_SESSION } from './example.ts'

export interface Picture {
  readonly name: string
  /** Behind the "#". */
  readonly path: string
  readonly isLoggedOut?: boolean
  /** Waits until the page shows what it is about. */
  readonly prepare: (page: Page, on: { readonly isPhone: boolean }) => Promise<void>
}

const shows =
  (text: string | RegExp): Picture['prepare'] =>
  (page) =>
    page.getByText(text).first().waitFor()

const session = (id: string): string => `/sessions/${encodeURIComponent(id)}`

export const PICTURES: readonly Picture[] = [
  { name: 'sign-in', path: '/', isLoggedOut: true, prepare: (page) => page.getByLabel('Token').waitFor() },
  { name: 'sessions', path: '/sessions', prepare: shows('Release 2.4') },
  { name: 'session', path: session(SHOWN_SESSION), prepare: shows('git push origin v2.4.0') },
  {
    name: 'conversation',
    path: session(SPOKEN_SESSION),
    prepare: (page) => page.locator('td[align="right"]').first().waitFor(),
  },
  { name: 'details', path: `${session(SHOWN_SESSION)}?tab=details`, prepare: shows('Participants') },
  { name: 'log', path: `${session(SHOWN_SESSION)}?tab=log`, prepare: shows('TurnPaused') },
  { name: 'approvals', path: '/approvals', prepare: shows('npm install date-picker@4') },
  { name: 'inbox', path: '/memory', prepare: shows('older versions are refused') },
  { name: 'facts', path: '/memory/facts', prepare: shows('Customers in Switzerland') },
  { name: 'proposals', path: '/memory/proposals', prepare: shows('public holidays') },
  { name: 'questions', path: '/memory/questions', prepare: shows('Who may be told') },
  { name: 'schedules', path: '/schedules', prepare: shows('Figures for the team') },
  { name: 'usage', path: '/usage', prepare: shows('large-32b') },
  { name: 'audit', path: '/audit', prepare: shows(/reviewer asked/) },
  { name: 'plugins', path: '/plugins', prepare: shows('Clock') },
  { name: 'tools', path: '/plugins/tools', prepare: shows('text-stats') },
  { name: 'people', path: '/people', prepare: shows('dora') },
  { name: 'tokens', path: '/people/tokens', prepare: shows('dora-laptop') },
  { name: 'server', path: '/server', prepare: shows('Last sign of life') },
  { name: 'models', path: '/server/models', prepare: shows('introspector') },
  { name: 'deliveries', path: '/server/deliveries', prepare: shows('attempt') },
  { name: 'configuration', path: '/server/configuration', prepare: shows('taken over') },
]
