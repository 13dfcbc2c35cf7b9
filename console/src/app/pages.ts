/**
 * The pages of the console, in the order of the navigation. A page is a folder of src/pages whose page.tsx has a
 * default export; it is loaded when it is opened first. What is not built yet is not here.
 */
import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import type { IconName } from '../ui/display/icon.tsx'

export interface Page {
  readonly title: string
  readonly icon: IconName
  /** Its address, and the beginning of those below it. */
  readonly path: string
  /** Pressed after "g". */
  readonly key: string
  readonly isForAdmins: boolean
  /** Renders all addresses that begin with `path`. */
  readonly Content: LazyExoticComponent<ComponentType>
}

export const pages: readonly Page[] = [
  {
    title: 'Sessions',
    icon: 'sessions',
    path: '/sessions',
    key: 's',
    isForAdmins: false,
    Content: lazy(() => import('../pages/sessions/page.tsx')),
  },
  {
    title: 'Approvals',
    icon: 'approvals',
    path: '/approvals',
    key: 'a',
    isForAdmins: false,
    Content: lazy(() => import('../pages/approvals/page.tsx')),
  },
  {
    title: 'Memory',
    icon: 'memory',
    path: '/memory',
    key: 'm',
    isForAdmins: true,
    Content: lazy(() => import('../pages/memory/page.tsx')),
  },
  {
    title: 'Schedules',
    icon: 'schedules',
    path: '/schedules',
    key: 'c',
    isForAdmins: false,
    Content: lazy(() => import('../pages/schedules/page.tsx')),
  },
  {
    title: 'Usage',
    icon: 'usage',
    path: '/usage',
    key: 'u',
    isForAdmins: true,
    Content: lazy(() => import('../pages/usage/page.tsx')),
  },
  {
    title: 'Audit',
    icon: 'audit',
    path: '/audit',
    key: 'l',
    isForAdmins: true,
    Content: lazy(() => import('../pages/audit/page.tsx')),
  },
  {
    title: 'Plugins',
    icon: 'plugins',
    path: '/plugins',
    key: 'p',
    isForAdmins: true,
    Content: lazy(() => import('../pages/plugins/page.tsx')),
  },
  {
    title: 'People',
    icon: 'people',
    path: '/people',
    key: 'o',
    isForAdmins: true,
    Content: lazy(() => import('../pages/people/page.tsx')),
  },
  {
    title: 'Server',
    icon: 'server',
    path: '/server',
    key: 'v',
    isForAdmins: false,
    Content: lazy(() => import('../pages/server/page.tsx')),
  },
]
