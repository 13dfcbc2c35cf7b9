/** The way to all pages: a column at the side, on a phone a row at the foot. */
import { Link } from 'wouter'
import { useViewer } from '../data/use-viewer.ts'
import type { ViewerQuery } from '../generated/graphql.ts'
import { IconButton } from '../ui/controls/button.tsx'
import { Menu, type MenuItem } from '../ui/controls/menu.tsx'
import { Icon } from '../ui/display/icon.tsx'
import { BudgetNote } from './budget-note.tsx'
import { goTo } from './hash-location.ts'
import { logOut } from './log-in.ts'
import { Mark } from './mark.tsx'
import type { Page } from './pages.ts'
import { nextTheme, useTheme } from './theme.ts'
import { useIsNarrow } from './use-is-narrow.ts'

interface NavigationProps {
  readonly pages: readonly Page[]
  readonly current: Page | undefined
  readonly server: ViewerQuery['server']
  readonly onShowKeys: () => void
}

export function Navigation({ pages, current, server, onShowKeys }: NavigationProps) {
  return (
    <nav className="nav" aria-label="Pages">
      <div className="nav-head">
        <Mark />
        <span>Factotum</span>
      </div>
      <ul className="nav-pages">
        {pages.map((page) => (
          <li key={page.path}>
            <Link
              href={page.path}
              className={page === current ? 'nav-page nav-current' : 'nav-page'}
              aria-current={page === current ? 'page' : undefined}
            >
              <Icon name={page.icon} />
              <span>{page.title}</span>
            </Link>
          </li>
        ))}
      </ul>
      <Foot pages={pages} server={server} onShowKeys={onShowKeys} />
    </nav>
  )
}

/** How many have a place in the row at the foot of a phone (shell.css). */
const IN_ROW = 4

function Foot({ pages, server, onShowKeys }: Pick<NavigationProps, 'pages' | 'server' | 'onShowKeys'>) {
  const isNarrow = useIsNarrow()
  const viewer = useViewer()
  const [theme, setTheme] = useTheme()
  return (
    <div className="nav-foot">
      {server.paused && (
        <p className="nav-note small">This server is paused: nothing moves until it is started without --paused.</p>
      )}
      {server.rehearsal && (
        <p className="nav-note small">
          No model is configured: the rehearsal model answers, which is no language model.
        </p>
      )}
      <BudgetNote />
      <div className="nav-viewer">
        <span className="nav-name">
          <span className="cut foreign">{viewer.user?.name ?? viewer.tokenName}</span>
          <span className="faint small">
            {viewer.isAdmin ? 'admin' : viewer.tokenKind === 'CONNECTOR' ? 'connector' : 'user'} · {server.version}
          </span>
        </span>
        <Menu
          items={[
            ...(isNarrow ? [...pages.slice(IN_ROW).map(menuItemOf), null] : []),
            { label: `Theme: ${theme}`, icon: 'theme', run: () => setTheme(nextTheme(theme)) },
            { label: 'Keys', icon: 'menu', run: onShowKeys },
            { label: 'GraphQL editor', icon: 'link', run: () => open('graphql', '_blank', 'noopener') },
            null,
            { label: 'Log out', icon: 'logout', run: () => void logOut({ everywhere: false }) },
            { label: 'Log out everywhere', icon: 'logout', run: () => void logOut({ everywhere: true }) },
          ]}
        >
          <IconButton icon="more" label={isNarrow ? 'More' : 'You and this console'} />
        </Menu>
      </div>
    </div>
  )
}

function menuItemOf({ title, icon, path }: Page): MenuItem {
  return { label: title, icon, run: () => goTo(path) }
}
