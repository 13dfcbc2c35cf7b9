/** What the use cases of people need. */
import type { Doorbell } from '../events/doorbell.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../store/database.ts'
import type { LivePeople } from './live-people.ts'

export interface PeopleContext {
  readonly database: Database
  readonly doorbell: Pick<Doorbell, 'ring'>
  readonly clock: Clock
  readonly live: Pick<LivePeople, 'declared' | 'changed'>
}
