/**
 * What stands in place of a text, or of a name, that was erased from a session (eraseUser). No user can be called like
 * this.
 */
export const ERASED = '[erased]'
