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
import { readErrorBody } from './wire/error-body.ts'

/** What a provider says in an error: `{message, code, type, param}`, or anything. */
export interface Complaint {
  readonly status: number | null
  /** code, type and param together: providers disagree on which says what. */
  readonly labels: string
  readonly message: string
}

/** `status`: of the HTTP answer; null when the error came inside an answer. */
export function complaintOf(status: number | null, body: unknown): Complaint {
  const { message, code, type, param } = readErrorBody(body)
  const number = Number(code)
  return {
    status: status ?? (Number.isInteger(number) && number >= 300 && number <= 599 ? number : null),
    labels: `${code} ${type} ${param}`,
    message,
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

/** An error inside an answer has no status: its words and codes decide. */
const isRejection = ({ status }: Complaint): boolean =>
  status === null || (status >= 400 && status < 500 && status !== 429)
const says = ({ labels, message }: Complaint, pattern: RegExp): boolean => pattern.test(labels) || pattern.test(message)

/** More in one request than a minute allows, with whatever status: it is refused again in the next minute. */
const OVER_RATE = /request (is )?too (large|long).{0,200}(tokens|input).{0,20} per min/is
/** Of an error without a status: the provider calls the request wrong. */
const WRONG_REQUEST = /invalid_request|invalid_prompt/i
const NO_CREDIT = new RegExp(
  [
    'insufficient_quota|insufficient.(credit|fund|balance)|arrearage|credit balance is too low|credits are depleted',
    'billing.+limit|billing_not_active|account is not active|spending limit|API usage limits|key limit exceeded',
    'budget_exceeded|exceeded_current_quota',
  ].join('|'),
  'i',
)
const TOO_LONG = new RegExp(
  [
    'context.?(length|window|size|limit)|maximum (context|prompt length|model length)|range of input length',
    'too many (input )?tokens|(prompt|input|request).(is )?too.(long|large)|prompt exceeds max|model token limit',
    '(input|prompt) token count.{0,40}exceeds|inputs.? tokens \\+|reduce (the|your) (length|message)',
  ].join('|'),
  'i',
)
const NO_TOOLS = /not support tool|support tool use|tool.?choice.? requires|tools param requires|param: tools/i
const MEMORY = /(requires|not enough|insufficient|out of).{0,20}(system |gpu |cuda )?memory/i

/** The first rule that applies decides. */
const RULES: readonly Rule[] = [
  {
    applies: (complaint) => complaint.status === 402 || says(complaint, NO_CREDIT),
    judge: (call) => ({
      code: 'MODEL_QUOTA',
      message: `The credit or quota at ${nameProvider(call)} is used up. Add credit there, or use another provider: ${modelSetting(call)}.`,
    }),
  },
  {
    applies: (complaint) =>
      isRejection(complaint) &&
      says(
        complaint,
        /content_filter|content.management.policy|ResponsibleAIPolicy|data_inspection_failed|requires moderation|flagged|content.polic|safety system/i,
      ),
    judge: (call) => ({
      code: 'MODEL_REFUSED',
      message: `${capitalize(nameProvider(call))} refused the message because of its content. Word it differently, or choose another model: ${modelSetting(call)}.`,
    }),
  },
  {
    applies: (complaint) =>
      complaint.status === 401 ||
      complaint.status === 403 ||
      // Gemini and xAI say so with status 400.
      ((complaint.status === 400 || complaint.status === null) &&
        says(complaint, /(invalid|incorrect) api key|api.?key.{0,30}not valid|API_KEY_INVALID/i)),
    judge: (call) => ({ code: 'MODEL_UNAUTHORIZED', message: unauthorized(call) }),
  },
  {
    applies: (complaint, call) =>
      call.wantsSchema && isRejection(complaint) && says(complaint, /response_format|json_schema|structured.output/i),
    judge: (call) => ({
      code: 'MODEL_NO_STRUCTURED_OUTPUT',
      message: `${capitalize(nameProvider(call))} does not give structured output (response_format with a strict json_schema) with the model "${call.model}", and the ${call.role} needs it. Choose a model that has it: ${modelSetting(call)}, or set structured_output in [providers.${call.provider}].`,
    }),
  },
  {
    applies: (complaint) =>
      isRejection(complaint) &&
      says(complaint, /json_validate_failed|failed to (generate|validate) json|tool_use_failed/i),
    judge: (call) => ({
      code: 'MODEL_BAD_OUTPUT',
      message: `${capitalize(nameModel(call))} did not write the JSON that was asked for. Choose a model that follows JSON schemas better: ${modelSetting(call)}.`,
      retry: 'backoff',
    }),
  },
  {
    applies: (complaint) =>
      complaint.status === 413 || says(complaint, OVER_RATE) || (isRejection(complaint) && says(complaint, TOO_LONG)),
    judge: (call) => ({
      code: 'MODEL_BAD_REQUEST',
      message: `The question is longer than ${nameModel(call)} can read. Send a shorter message, lower context_tokens in [settings], or choose a model with a larger context: ${modelSetting(call)}.`,
    }),
  },
  {
    applies: (complaint, call) => !call.wantsSchema && says(complaint, NO_TOOLS),
    judge: (call) => ({
      code: 'MODEL_UNKNOWN',
      message: `${capitalize(nameModel(call))} does not take calls of tools, which sessions of mode CHAT need. Switch them on at ${nameProvider(call)}, choose another model: ${modelSetting(call)}, or use mode PLAN.`,
    }),
  },
  {
    applies: (complaint) =>
      isRejection(complaint) &&
      says(
        complaint,
        /model_not_found|model.{0,200}(not found|does not exist|not exist|not a valid|unknown|not loaded|decommissioned|deprecated)|(unknown|invalid|no such) model|not a valid model|no models? loaded|DeploymentNotFound|unsupported model/is,
      ),
    judge: (call) => ({
      code: 'MODEL_UNKNOWN',
      message: `${capitalize(nameProvider(call))} has no model "${call.model}" for the ${call.role}. Change ${modelSetting(call)}.`,
    }),
  },
  {
    applies: (complaint) =>
      complaint.status === 404 && says(complaint, /no endpoints found|no allowed providers|data policy/i),
    judge: (call) => ({
      code: 'MODEL_UNKNOWN',
      message: `${capitalize(nameProvider(call))} has nothing that may serve the model "${call.model}" under the settings of the account or of the request. Change them there, or ${modelSetting(call)}.`,
    }),
  },
  {
    // LM Studio says so with status 200.
    applies: (complaint) =>
      complaint.status === 404 ||
      complaint.status === 405 ||
      (complaint.status === null && says(complaint, /unexpected endpoint/i)),
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
    applies: (complaint) => (complaint.status === null || complaint.status >= 500) && says(complaint, MEMORY),
    judge: (call) => ({
      code: 'MODEL_UNREACHABLE',
      message: `The machine of ${nameProvider(call)} has too little memory for ${nameModel(call)}. Choose a smaller model: ${modelSetting(call)}.`,
    }),
  },
  {
    applies: (complaint) => complaint.status === 503 && says(complaint, /load/i),
    judge: (call) => ({
      code: 'MODEL_OVERLOADED',
      message: `${capitalize(nameProvider(call))} is still loading ${nameModel(call)}.`,
      retry: 'backoff',
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
    applies: (complaint) =>
      complaint.status === null
        ? !says(complaint, WRONG_REQUEST)
        : complaint.status >= 500 || [408, 409, 425, 498].includes(complaint.status),
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
