/** Who changes people holds this until their transaction ends, so that each sees what the one before has done. */
import type { Statement } from '../database.ts'

/** To be the first statement of a transaction that writes users, tokens or aliases. */
export const LOCK_PEOPLE: Statement = {
  name: 'people.lock',
  text: 'SELECT version FROM people_state WHERE id = 1 FOR UPDATE',
}
