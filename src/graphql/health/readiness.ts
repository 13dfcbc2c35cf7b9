/**
 * Whether the server can do its work, for /ready: checks that the composition root injects, each by name. Those that
 * are not required only show: without a sandbox, commands of users fail and everything else works.
 */
import type { Clock } from '../../platform/clock.ts'
import { reasonOf } from '../../platform/error-code.ts'

export interface CheckResult {
  readonly ok: boolean
  readonly detail: string
  /** What to do about it, when it is not ok. */
  readonly fix?: string
}

export interface ReadinessCheck {
  /** Whether the server counts as not ready while it fails. */
  readonly required: boolean
  /** A rejection counts as a failure, with its message and what caused it. */
  readonly check: () => Promise<CheckResult>
}

export type Readiness = Readonly<Record<string, ReadinessCheck>>

export interface ReadinessReport {
  readonly ready: boolean
  readonly checks: Readonly<Record<string, CheckResult & { readonly required: boolean }>>
}

const TIMEOUT_MS = 2000

export async function reportReadiness(readiness: Readiness, clock: Clock): Promise<ReadinessReport> {
  const results = await Promise.all(
    Object.entries(readiness).map(async ([name, { required, check }]) => {
      const result = await Promise.race([attempt(check), timeout(clock)])
      return [name, { required, ...result }] as const
    }),
  )
  return { ready: results.every(([, { ok, required }]) => ok || !required), checks: Object.fromEntries(results) }
}

async function attempt(check: () => Promise<CheckResult>): Promise<CheckResult> {
  try {
    return await check()
  } catch (error) {
    return { ok: false, detail: reasonOf(error) }
  }
}

async function timeout(clock: Clock): Promise<CheckResult> {
  await clock.sleep(TIMEOUT_MS)
  return { ok: false, detail: `no answer within ${TIMEOUT_MS / 1000} s` }
}
