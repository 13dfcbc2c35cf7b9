/**
 * Operations wait here for their turn at the database, or are refused before any of them has happened (admission.ts).
 */
import { getOperationAST, type ExecutionArgs } from 'graphql'
import { jsonResponse } from '../http/json-response.ts'
import { acceptedOf } from '../http/accepted.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { overloaded, overloadedAnswer } from '../http/overloaded.ts'
import type { DoorPlugin } from '../operation/caller.ts'
import type { Admission, Work } from '../operation/admission.ts'

export function useAdmission(admission: Admission, metrics: Metrics): DoorPlugin {
  return {
    /** Before anything is read: what is refused must cost next to nothing, or refusing alone would be too much. */
    onRequest({ request, endResponse, fetchAPI }) {
      if (!admission.isFull) return
      const transport = acceptedOf(request.headers.get('accept')).events ? 'sse' : 'http'
      metrics.operations.inc({ type: 'unknown', transport, outcome: 'refused' })
      const error = overloadedAnswer()
      const headers = { 'retry-after': String(Math.ceil(error.extensions.retryAfterMs / 1000)) }
      endResponse(jsonResponse(fetchAPI, { status: 503, errors: [error], headers }))
    },
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn(
        async (args) => (await admission.through(workOf(args), () => executeFn(args))) ?? { errors: [overloaded()] },
      )
    },
    onSubscribe({ subscribeFn, setSubscribeFn }) {
      setSubscribeFn(
        async (args) => (await admission.through(workOf(args), () => subscribeFn(args))) ?? { errors: [overloaded()] },
      )
    },
  }
}

/** Mutations bring something in: messages, decisions, what is to be cancelled. */
function workOf({ document, operationName, variableValues }: ExecutionArgs): Work {
  const isMutation = getOperationAST(document, operationName)?.operation === 'mutation'
  return { kind: isMutation ? 'intake' : 'read', bytes: (document.loc?.end ?? 0) + charactersIn(variableValues) }
}

/** About as many bytes as the values take in memory. They are no deeper than LIMITS allows. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  return Object.entries(value).reduce((sum, [key, one]) => sum + key.length + charactersIn(one), 0)
}
