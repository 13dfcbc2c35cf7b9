/**
 * Turns whatever a call of a provider failed with into an AppError: the one place that knows how providers complain. Every
 * message names the provider, says in its words what went wrong, and what to change.
 */
import OpenAI from 'openai'
import { AppError, messageOf, type AppErrorCode } from '../core/errors.ts'
import { AnsweredError, UnusableAnswer } from './chat-answer.ts'
import { AnswerCut } from './http-transport.ts'
import {
  capitalize,
  modelSetting,
  nameBaseUrl,
  nameModel,
  nameProvider,
  quote,
  type ModelCallContext,
} from './model-call-context.ts'
import { retryAfterMs } from './retry-after.ts'

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

/** What a provider says in an error: `{message, code, type, param}`, or anything. */
interface Complaint {
  readonly status: number | null
  /** code, type and param together: providers disagree on which says what. */
  readonly labels: string
  readonly message: string
}

function complaintOf(status: number | null, body: unknown): Complaint {
  const fields =
    typeof body === 'object' && body !== null
      ? new Map(Object.entries(body))
      : new Map<string, unknown>([['message', body]])
  const text = (key: string): string => {
    const value = fields.get(key)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  const code = Number(text('code'))
  return {
    status: status ?? (Number.isInteger(code) && code >= 300 && code <= 599 ? code : null),
    labels: `${text('code')} ${text('type')} ${text('param')}`,
    message: text('message'),
  }
}

interface ComplaintDetails {
  readonly cause: unknown
  readonly retryAfterMs: number | null
  readonly location: string | null
}

function ofComplaint(complaint: Complaint, call: ModelCallContext, details: ComplaintDetails): AppError {
  const { code, message, retry } = RULES.find((rule) => rule.applies(complaint, call))?.error(
    complaint,
    call,
    details,
  ) ?? {
    code: 'MODEL_BAD_REQUEST' as const,
    message: `${capitalize(nameProvider(call))} does not accept the request of ${nameModel(call)}.`,
  }
  const words = [complaint.status, quote(complaint.message, call)]
    .filter((part) => part !== null && part !== '')
    .join(': ')
  const said = words === '' ? '' : ` (It said: ${words})`
  return new AppError(code, `${message}${said}`, {
    retry: retry ?? 'never',
    retryAfterMs: details.retryAfterMs,
    cause: details.cause,
  })
}

interface Rule {
  applies(complaint: Complaint, call: ModelCallContext): boolean
  error(complaint: Complaint, call: ModelCallContext, details: ComplaintDetails): RuleError
}
interface RuleError {
  readonly code: AppErrorCode
  readonly message: string
  readonly retry?: 'never' | 'backoff'
}

const isRejection = ({ status }: Complaint): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 429
const says = ({ labels, message }: Complaint, pattern: RegExp): boolean => pattern.test(labels) || pattern.test(message)

/** The first rule that applies decides. */
const RULES: readonly Rule[] = [
  {
    applies: (complaint) =>
      complaint.status === 402 ||
      says(complaint, /insufficient_quota|insufficient.(credit|fund|balance)|billing.+limit/i),
    error: (_, call) => ({
      code: 'MODEL_QUOTA',
      message: `The credit or quota at ${nameProvider(call)} is used up. Add credit there, or use another provider: ${modelSetting(call)}.`,
    }),
  },
  {
    applies: (complaint) => complaint.status === 403 && says(complaint, /moderat|flagged|content.polic/i),
    error: (_, call) => ({
      code: 'MODEL_REFUSED',
      message: `${capitalize(nameProvider(call))} refused the message because of its content.`,
    }),
  },
  {
    applies: ({ status }) => status === 401 || status === 403,
    error: (_, call) => ({ code: 'MODEL_UNAUTHORIZED', message: unauthorized(call) }),
  },
  {
    applies: (complaint, call) =>
      call.wantsSchema && isRejection(complaint) && says(complaint, /response_format|json_schema|structured.output/i),
    error: (_, call) => ({
      code: 'MODEL_NO_STRUCTURED_OUTPUT',
      message: `${capitalize(nameProvider(call))} does not give structured output (response_format with a strict json_schema) with the model "${call.model}", and the ${call.role} needs it. Choose a model that has it: ${modelSetting(call)}.`,
    }),
  },
  {
    applies: (complaint) =>
      isRejection(complaint) &&
      says(complaint, /context.?length|context.?window|maximum context|too many tokens|prompt is too long/i),
    error: (_, call) => ({
      code: 'MODEL_BAD_REQUEST',
      message: `The question is longer than ${nameModel(call)} can read. Send a shorter message, lower context_messages in [settings], or choose a model with a larger context: ${modelSetting(call)}.`,
    }),
  },
  {
    applies: (complaint) =>
      isRejection(complaint) &&
      says(
        complaint,
        /model_not_found|model.{0,200}(not found|does not exist|not exist|not a valid|unknown)|(unknown|invalid|no such) model|not a valid model/is,
      ),
    error: (_, call) => ({
      code: 'MODEL_UNKNOWN',
      message: `${capitalize(nameProvider(call))} has no model "${call.model}" for the ${call.role}. Change ${modelSetting(call)}.`,
    }),
  },
  {
    applies: ({ status }) => status === 404 || status === 405,
    error: (_, call) => ({
      code: 'MODEL_UNKNOWN',
      message: `There are no chat completions at ${nameBaseUrl(call)}, or no model "${call.model}". Check base_url in [providers.${call.provider}] (it usually ends in /v1) and ${modelSetting(call)}.`,
    }),
  },
  {
    applies: ({ status }) => status !== null && status >= 300 && status < 400,
    error: (_, call, { location }) => ({
      code: 'MODEL_BAD_REQUEST',
      message: `${nameBaseUrl(call)} redirects${location === null ? '' : ` to ${quote(location, call)}`}, and redirects are not followed. Put the final address into base_url in [providers.${call.provider}].`,
    }),
  },
  {
    applies: ({ status }) => status === 429,
    error: (_, call) => ({
      code: 'MODEL_OVERLOADED',
      message: `${capitalize(nameProvider(call))} lets no more requests through for now.`,
      retry: 'backoff',
    }),
  },
  {
    applies: ({ status }) => status === null || status === 408 || status === 409 || status === 425 || status >= 500,
    error: (_, call) => ({
      code: 'MODEL_OVERLOADED',
      message: `${capitalize(nameProvider(call))} failed while it worked on the answer.`,
      retry: 'backoff',
    }),
  },
]

function unauthorized(call: ModelCallContext): string {
  const provider = capitalize(nameProvider(call))
  return call.apiKeyEnv === null
    ? `${provider} wants a key. Set api_key_env in [providers.${call.provider}] to the name of the environment variable (or line of .env) that holds it.`
    : `${provider} does not accept the key in ${call.apiKeyEnv} (environment or .env), or the key may not use the model "${call.model}". Check both.`
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
    case 'encoding':
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
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return [`its certificate is not accepted. Check ${setting}`, 'never']
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
