/**
 * What holds in each of our sessions, whatever a DBA has set for the role or the database. Another style of dates or
 * fewer digits would be read wrongly, and break the hashes of the audit; days are counted in UTC; statements rely on
 * the isolation that is PostgreSQL's default; timeouts are those that a connection of ours asks for itself.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  bytea_output: 'hex',
  DateStyle: 'ISO',
  default_transaction_isolation: 'read committed',
  extra_float_digits: '1',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  // Many builds compile what seems costly, which takes ten times as long as to run ours.
  jit: 'off',
  lock_timeout: '0',
  standard_conforming_strings: 'on',
  statement_timeout: '0',
  TimeZone: 'UTC',
}

/** For `options` of a connection. */
export const SESSION_OPTIONS = Object.entries(SETTINGS)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', String.raw`\ `)}`)
  .join(' ')
