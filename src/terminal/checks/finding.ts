/** What a check of `factotum doctor` found: a sentence, and what to do when something is wrong. */

/** `FAIL`: the server does not start, or cannot work, like this. `WARN`: it works, but not as it should. */
export interface Finding {
  readonly check: string
  readonly verdict: 'OK' | 'WARN' | 'FAIL'
  readonly says: string
  /** Null for what is well. */
  readonly fix: string | null
}

export function ok(check: string, says: string): Finding {
  return { check, verdict: 'OK', says, fix: null }
}

export function warn(check: string, says: string, fix: string): Finding {
  return { check, verdict: 'WARN', says, fix }
}

export function fail(check: string, says: string, fix: string): Finding {
  return { check, verdict: 'FAIL', says, fix }
}
