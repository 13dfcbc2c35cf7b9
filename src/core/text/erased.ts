/**
 * What stands in place of a text, or of a name, that was erased from a session (eraseUser). No user can be called like
 * this.
 */
export const ERASED = '[erased]'

/** What stands in place of an output that was removed for its age: a task that printed nothing is another matter. */
export const REMOVED_OUTPUT = '[removed]'
