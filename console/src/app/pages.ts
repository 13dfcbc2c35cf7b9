/**
 * The pages of the console, in the order of the navigation. A page is a folder of src/pages whose page.tsx has a
 * default export; it is loaded when it is opened first. What is not built yet is not here.
 */
import { SessionPart } from '../pages/sessions/session-part.ts'
import type { IconName } from '../ui/display/icon.tsx'
import { part, type Part } from '../ui/loading/part.tsx'

export interface Page {
  readonly title: string
  readonly icon: IconName
  /** Its address, and the beginning of those below it. */
  readonly path: string
  /** Pressed after "g". */
  readonly key: string
  readonly isForAdmins: boolean
  /** Renders all addresses that begin with `path`. */
  readonly Content: Part
}

export const pages: readonly Page[] = [
  {
    title: 'Sessions',
    icon: 'sessions',
    path: '/sessions',
    key: 's',
    isForAdmins: false,
    Content: part('the page', async () => {
      const { default: page, begin } = await import('../pages/sessions/page.tsx')
      return { default: page, begin }
    }),
  },
  {
    title: 'Approvals',
    icon: 'approvals',
    path: '/approvals',
    key: 'a',
    isForAdmins: false,
    Content: part('the page', () => import('../pages/approvals/page.tsx')),
  },
  {
    title: 'Memory',
    icon: 'memory',
    path: '/memory',
    key: 'm',
    isForAdmins: false,
    Content: part('the page', () => import('../pages/memory/page.tsx')),
  },
  {
    title: 'Schedules',
    icon: 'schedules',
    path: '/schedules',
    key: 'c',
    isForAdmins: false,
    Content: part('the page', () => import('../pages/schedules/page.tsx')),
  },
  {
    title: 'Usage',
    icon: 'usage',
    path: '/usage',
    key: 'u',
    isForAdmins: true,
    Content: part('the page', () => import('../pages/usage/page.tsx')),
  },
  {
    title: 'Audit',
    icon: 'audit',
    path: '/audit',
    key: 'l',
    isForAdmins: true,
    Content: part('the page', () => import('../pages/audit/page.tsx')),
  },
  {
    title: 'Plugins',
    icon: 'plugins',
    path: '/plugins',
    key: 'p',
    isForAdmins: true,
    Content: part('the page', () => import('../pages/plugins/page.tsx')),
  },
  {
    title: 'People',
    icon: 'people',
    path: '/people',
    key: 'o',
    isForAdmins: true,
    Content: part('the page', () => import('../pages/people/page.tsx')),
  },
  {
    title: 'Server',
    icon: 'server',
    path: '/server',
    key: 'v',
    isForAdmins: false,
    Content: part('the page', () => import('../pages/server/page.tsx')),
  },
]

/** What an address needs is on its way while the server still says who is asking. */
export function foretell(address: string): void {
  const path = address === '/' ? '/sessions' : address
  pages.find((page) => path.startsWith(page.path))?.Content.foretell(path)
  if (path.startsWith('/sessions/')) SessionPart.foretell(path)
}
