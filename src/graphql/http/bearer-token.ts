/** A stranger does not learn which of these it is. Short, because a socket closes with it. */
export const UNKNOWN_TOKEN = 'The token is unknown. It may have expired or been revoked.'

/** The token of an `Authorization` value, or null when it holds none. */
export function bearerToken(authorization: unknown): string | null {
  if (typeof authorization !== 'string') return null
  return /^bearer ([\x21-\x7e]{1,1024})$/i.exec(authorization)?.[1] ?? null
}
