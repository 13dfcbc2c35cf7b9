/** Sessions: the list, and below it each session by its id. */
import { Route, Switch } from 'wouter'
import { decodePart } from '../../app/hash-location.ts'
import { ListPage } from './list-page.tsx'
import { SessionPart } from './session-part.ts'
import { beginSessions } from './use-live-sessions.ts'

export default function SessionsPage() {
  return (
    <Switch>
      <Route path="/sessions/:id">{({ id }) => <SessionPart key={id} id={decodePart(id)} />}</Route>
      <Route>
        <ListPage />
      </Route>
    </Switch>
  )
}

export function begin(path: string): void {
  if (path === '/sessions') beginSessions()
}
