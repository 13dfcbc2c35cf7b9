/** Sessions: the list, and below it each session by its id. */
import { lazy } from 'react'
import { Route, Switch } from 'wouter'
import { ListPage } from './list-page.tsx'

const SessionPage = lazy(() => import('../session/page.tsx'))

export default function SessionsPage() {
  return (
    <Switch>
      <Route path="/sessions/:id">{({ id }) => <SessionPage key={id} id={decodeURIComponent(id)} />}</Route>
      <Route>
        <ListPage />
      </Route>
    </Switch>
  )
}
