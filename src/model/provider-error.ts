/**
 * Turns whatever a call of a provider failed with into an AppError, once: nothing above reads the openai package's
 * errors. Every message names the provider, says what went wrong, in its own words too, and what to change.
 */
import OpenAI from 'openai'
import { AppError, messageOf } from '../core/errors.ts'
import { AnsweredError } from './answered-error.ts'
import { UnusableAnswer } from './chat-answer.ts'
import { complaintOf, judgeComplaint, type Complaint } from './complaint.ts'
import { AnswerCut } from './answer-gauge.ts'
import { capitalize, nameBaseUrl, nameModel, nameProvider, quote, type ModelCallContext } from './model-call-context.ts'
import { retryAfterMs } from '../platform/waiting/retry-after.ts'

/** `now` is for a Retry-After that is a date. */
export function toProviderError(error: unknown, call: ModelCallContext, now: Date): AppError {
  if (error instanceof AppError) return error
  const cut = findCause(error, (cause) => cause instanceof AnswerCut)
  if (cut !== null) return ofCutAnswer(cut, call)
  if (error instanceof OpenAI.APIError && typeof error.status === 'number') {
    const complaint = complaintOf(error.status, error.error ?? error.message)
    return ofComplaint(complaint, call, {
      cause: error,
      retryAfterMs: retryAfterMs(error.headers, now),
      location: error.headers?.get('location') ?? null,
    })
  }
  if (error instanceof AnsweredError) {
    const complaint = complaintOf(null, error.body)
    return ofComplaint(complaint, call, { cause: error, retryAfterMs: null, location: null })
  }
  const network = findCause(error, isSystemError)
  if (network !== null) return ofNetworkFailure(network, call)
  return ofUnusableAnswer(error, call)
}

interface ComplaintDetails {
  readonly cause: unknown
  readonly retryAfterMs: number | null
  /** Where a redirect leads. */
  readonly location: string | null
}

function ofComplaint(complaint: Complaint, call: ModelCallContext, details: ComplaintDetails): AppError {
  const { code, message, retry = 'never' } = judgeComplaint(complaint, call, details.location)
  const { retryAfterMs: waitMs, cause } = details
  return new AppError(code, `${message}${sayAgain(complaint, call)}`, { retry, retryAfterMs: waitMs, cause })
}

/** The provider's own words, which often say more than we know. */
function sayAgain({ status, message }: Complaint, call: ModelCallContext): string {
  const words = quote(message, call)
    .replace(/^[1-5]\d\d (status code \(no body\))?/, '')
    .replace(/\.$/, '')
  if (status === null && words === '') return ''
  return ` It said: ${[status, words].filter((part) => part !== null && part !== '').join(' ')}.`
}

function ofCutAnswer(cut: AnswerCut, call: ModelCallContext): AppError {
  const message = `The answer of ${nameModel(call)} was given up: ${cut.message}.`
  switch (cut.limit) {
    case 'silence':
    case 'duration':
      return new AppError(
        'MODEL_SILENT',
        `${message} The limit is llm_idle_timeout in [settings]${cut.limit === 'duration' ? ', times ten for a whole answer' : ''}.`,
        {
          retry: 'backoff',
          cause: cut,
        },
      )
    case 'size':
    case 'protocol':
      return new AppError('MODEL_BAD_OUTPUT', message, { cause: cut })
    default:
      return cut.limit satisfies never
  }
}

function ofNetworkFailure(error: NodeJS.ErrnoException, call: ModelCallContext): AppError {
  const code = error.code ?? ''
  const where = `${capitalize(nameProvider(call))} cannot be reached at ${nameBaseUrl(call)}`
  const setting = `base_url in [providers.${call.provider}]`
  const [why, retry] = reasonOf(code, setting)
  return new AppError('MODEL_UNREACHABLE', `${where}: ${why} (${code}).`, { retry, cause: error })
}

function reasonOf(code: string, setting: string): readonly [string, 'never' | 'backoff'] {
  if (code === 'ECONNREFUSED')
    return [`the connection is refused. Check ${setting}, and that the server there runs`, 'backoff']
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return [`its name cannot be resolved. Check ${setting} and the network`, 'backoff']
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const what = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'
    return [`its certificate ${what}; it has to be renewed there, unless the clock of this machine is wrong`, 'backoff']
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code))
    return [
      `its certificate is not accepted. Check ${setting}, or name the certificate of its authority in NODE_EXTRA_CA_CERTS`,
      'never',
    ]
  if (/SSL|TLS|EPROTO/.test(code)) return [`no TLS connection can be made. Check https or http in ${setting}`, 'never']
  if (code.startsWith('HPE_')) return [`what answers there does not speak HTTP properly. Check ${setting}`, 'backoff']
  return ['the connection broke', 'backoff']
}

function ofUnusableAnswer(error: unknown, call: ModelCallContext): AppError {
  const what = error instanceof UnusableAnswer ? error.message : `it cannot be read: ${messageOf(error)}`
  const message = `The answer of ${nameModel(call)} cannot be used: ${quote(what, call)}. Check base_url in [providers.${call.provider}].`
  return new AppError('MODEL_BAD_OUTPUT', message, { cause: error })
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string'
}

/** The first of `error`, its cause, its cause's cause … that is a `Wanted`. */
function findCause<Wanted>(error: unknown, isWanted: (cause: unknown) => cause is Wanted): Wanted | null {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    if (isWanted(cause)) return cause
  }
  return null
}
