/**
 * What a provider means when it refuses a request: the rules by which its status and its words become one of our error
 * codes and a sentence that says what to change. Providers agree on little, so the rules read everything they may say.
 */
import type { AppErrorCode } from '../core/errors.ts'
import {
  capitalize,
  modelSetting,
  nameBaseUrl,
  nameModel,
  nameProvider,
  quote,
  type ModelCallContext,
} from './model-call-context.ts'

/** What a provider says in an error: `{message, code, type, param}`, or anything. */
export interface Complaint {
  readonly status: number | null
  /** code, type and param together: providers disagree on which says what. */
  readonly labels: string
  readonly message: string
}

/** `status`: of the HTTP answer; null when the error came inside an answer. */
export function complaintOf(status: number | null, body: unknown): Complaint {
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

/**
 * The first rule that applies decides; without one it is MODEL_BAD_REQUEST, not to be retried. `location`: where a
 * redirect leads, null without one.
 */
export function judgeComplaint(complaint: Complaint, call: ModelCallContext, location: string | null): Judgement {
  const rule = RULES.find(({ applies }) => applies(complaint, call))
  if (rule !== undefined) return rule.judge(call, location)
  return {
    code: 'MODEL_BAD_REQUEST',
    message: `${capitalize(nameProvider(call))} does not accept the request of ${nameModel(call)}.`,
  }
}

interface Rule {
  readonly applies: (complaint: Complaint, call: ModelCallContext) => boolean
  /** `location`: where a redirect leads. */
  readonly judge: (call: ModelCallContext, location: string | null) => Judgement
}

/** What a complaint means for us. */
export interface Judgement {
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
    judge: (call) => ({
      code: 'MODEL_QUOTA',
      message: `The credit or quota at ${nameProvider(call)} is used up. Add credit there, or use another provider: ${modelSetting(call)}.`,
    }),
  },
  {
    applies: (complaint) => complaint.status === 403 && says(complaint, /moderat|flagged|content.polic/i),
    judge: (call) => ({
      code: 'MODEL_REFUSED',
      message: `${capitalize(nameProvider(call))} refused the message because of its content.`,
    }),
  },
  {
    applies: ({ status }) => status === 401 || status === 403,
    judge: (call) => ({ code: 'MODEL_UNAUTHORIZED', message: unauthorized(call) }),
  },
  {
    applies: (complaint, call) =>
      call.wantsSchema && isRejection(complaint) && says(complaint, /response_format|json_schema|structured.output/i),
    judge: (call) => ({
      code: 'MODEL_NO_STRUCTURED_OUTPUT',
      message: `${capitalize(nameProvider(call))} does not give structured output (response_format with a strict json_schema) with the model "${call.model}", and the ${call.role} needs it. Choose a model that has it: ${modelSetting(call)}.`,
    }),
  },
  {
    applies: (complaint) =>
      isRejection(complaint) &&
      says(complaint, /context.?length|context.?window|maximum context|too many tokens|prompt is too long/i),
    judge: (call) => ({
      code: 'MODEL_BAD_REQUEST',
      message: `The question is longer than ${nameModel(call)} can read. Send a shorter message, lower context_tokens in [settings], or choose a model with a larger context: ${modelSetting(call)}.`,
    }),
  },
  {
    applies: (complaint) =>
      isRejection(complaint) &&
      says(
        complaint,
        /model_not_found|model.{0,200}(not found|does not exist|not exist|not a valid|unknown)|(unknown|invalid|no such) model|not a valid model/is,
      ),
    judge: (call) => ({
      code: 'MODEL_UNKNOWN',
      message: `${capitalize(nameProvider(call))} has no model "${call.model}" for the ${call.role}. Change ${modelSetting(call)}.`,
    }),
  },
  {
    applies: ({ status }) => status === 404 || status === 405,
    judge: (call) => ({
      code: 'MODEL_UNKNOWN',
      message: `There are no chat completions at ${nameBaseUrl(call)}, or no model "${call.model}". Check base_url in [providers.${call.provider}] (it usually ends in /v1) and ${modelSetting(call)}.`,
    }),
  },
  {
    applies: ({ status }) => status !== null && status >= 300 && status < 400,
    judge: (call, location) => ({
      code: 'MODEL_BAD_REQUEST',
      message: `${nameBaseUrl(call)} redirects${location === null ? '' : ` to ${quote(location, call)}`}, and redirects are not followed. Put the final address into base_url in [providers.${call.provider}].`,
    }),
  },
  {
    applies: ({ status }) => status === 429,
    judge: (call) => ({
      code: 'MODEL_OVERLOADED',
      message: `${capitalize(nameProvider(call))} lets no more requests through for now.`,
      retry: 'backoff',
    }),
  },
  {
    applies: ({ status }) => status === null || status === 408 || status === 409 || status === 425 || status >= 500,
    judge: (call) => ({
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
