/** The connections to PostgreSQL that a process holds at most, by what they are for: what an operator plans with. */
export const PROCESS_CONNECTIONS = {
  /**
   * Of the pool for everything that is asked and written. Statements are short: more at once wait for each other in the
   * database rather than here, and are no faster (bench, part b).
   */
  statements: 12,
  /** One for each job that runs at a time, and one that listens. */
  jobs: 4,
  /** By which processes notify each other. */
  doorbell: 1,
  /** On which the process beats. */
  membership: 1,
} as const

const counts: readonly number[] = Object.values(PROCESS_CONNECTIONS)
/** All of them together. */
export const CONNECTIONS_OF_A_PROCESS = counts.reduce((sum, count) => sum + count, 0)
