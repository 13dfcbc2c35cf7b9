/** What stands around every page: navigation, the line of trouble, keys, and who is logged in. */
import { useEffect, useRef, useState } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { useViewer } from '../data/use-viewer.ts'
import type { ViewerQuery } from '../generated/graphql.ts'
import { useKeys } from '../ui/keys/use-keys.ts'
import { EmptyState } from '../ui/feedback/empty-state.tsx'
import { goTo } from './hash-location.ts'
import { KeysDialog } from './keys-dialog.tsx'
import { Navigation } from './navigation.tsx'
import { PageBoundary } from './page-boundary.tsx'
import { pages } from './pages.ts'
import { TroubleLine } from './trouble-line.tsx'
import './shell.css'

export function Shell({ server }: { readonly server: ViewerQuery['server'] }) {
  const viewer = useViewer()
  const [areKeysShown, setAreKeysShown] = useState(false)
  const main = useRef<HTMLElement>(null)
  const [path] = useLocation()
  const shown = pages.filter(({ isForAdmins }) => viewer.isAdmin || !isForAdmins)
  const current = shown.find((page) => path.startsWith(page.path))
  useKeys({
    '?': () => setAreKeysShown(true),
    '/': () => document.querySelector<HTMLInputElement>('[data-search]')?.focus(),
    ...Object.fromEntries(shown.map(({ key, path }) => [`g ${key}`, () => goTo(path)])),
  })
  useEffect(() => {
    document.title = current === undefined ? 'Factotum' : `${current.title} · Factotum`
  }, [current])
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <Navigation pages={shown} current={current} server={server} onShowKeys={() => setAreKeysShown(true)} />
      <div className="shell-page">
        <TroubleLine />
        <main ref={main} tabIndex={-1} className="shell-main">
          <PageBoundary key={current?.path}>
            <Switch>
              {shown.map(({ path, Content }) => (
                <Route key={path} path={`${path}/*?`} component={Content} />
              ))}
              <Route path="/">
                <Redirect to={shown[0]?.path ?? '/sessions'} replace />
              </Route>
              <Route>
                <EmptyState title="There is no such page">
                  The address may be mistyped, or the page is for admins. The navigation leads on.
                </EmptyState>
              </Route>
            </Switch>
          </PageBoundary>
        </main>
      </div>
      <KeysDialog pages={shown} isOpen={areKeysShown} onClose={() => setAreKeysShown(false)} />
    </div>
  )
}
