/** The idempotency key of a message begins with it; the id that the page gave it follows. */
export const KEY_PREFIX = 'ai-sdk '
