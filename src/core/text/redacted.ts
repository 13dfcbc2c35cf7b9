/** What stands in a stored, shown or logged text in place of a secret (src/secrets). */
export const REDACTED = '[REDACTED]'
