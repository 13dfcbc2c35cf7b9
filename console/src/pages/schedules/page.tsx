/** Messages that the clock sends: the list, and one of them with its runs. */
import { Route, Switch } from 'wouter'
import { decodePart } from '../../app/hash-location.ts'
import { ScheduleDetail } from './schedule-detail.tsx'
import { ScheduleList } from './schedule-list.tsx'
import './schedules.css'
import '../../ui/picking/picking.css'

export default function SchedulesPage() {
  return (
    <Switch>
      <Route path="/schedules/:id">{({ id }) => <ScheduleDetail id={decodePart(id)} />}</Route>
      <Route>
        <ScheduleList />
      </Route>
    </Switch>
  )
}
