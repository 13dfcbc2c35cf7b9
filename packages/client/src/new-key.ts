/** An idempotency key: 128 random bits. Not crypto.randomUUID, which browsers have only on pages that came by HTTPS. */
export function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
