/** The connections to PostgreSQL that a process holds at most, by what they are for: what an operator plans with. */
export interface ProcessConnections {
  /** Of the pool for everything that is asked and written. */
  readonly statements: number
  /** One for each job that runs at a time, and one that listens. */
  readonly jobs: number
  /** By which processes notify each other. */
  readonly doorbell: number
  /** On which the process beats. */
  readonly membership: number
}

/**
 * Twelve for statements: these are short, and more at once wait for each other in the database rather than here, and
 * are no faster (bench, part b).
 */
export const DEFAULT_CONNECTIONS = 18
/** Four for statements, one job at a time. */
export const FEWEST_CONNECTIONS = 8

const MOST_JOBS = 4
const LONG_LIVED = { doorbell: 1, membership: 1 } as const

/** How `total` connections are shared out; at least `FEWEST_CONNECTIONS`. */
export function shareConnections(total: number): ProcessConnections {
  const shared = total - LONG_LIVED.doorbell - LONG_LIVED.membership
  const jobs = Math.min(MOST_JOBS, Math.max(2, Math.round(shared / 4)))
  return { statements: shared - jobs, jobs, ...LONG_LIVED }
}
