/**
 * Which values of the environment, of `.env` and of config.toml are secrets. Called by secret-store.ts at start and at
 * each change.
 */
import { hostAddresses } from '../config/database-address.ts'
import type { Config } from '../config/config.ts'
import { describeEnvironment } from '../config/schema/environment.ts'

/** A value that must not be seen anywhere. `name` says where it is from. */
export interface KnownValue {
  readonly name: string
  readonly value: string
}

export interface DeploySources {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly dotEnv: ReadonlyMap<string, string>
  readonly config: Config
}

/** Variables of the real environment that hold secrets of skills and connectors. */
const SECRET_VARIABLE = /^(FACTOTUM|KISO)_(SKILL|CONNECTOR)_./
/** Variables whose value is an address that may hold a password. */
const ADDRESS_VARIABLE = /^(DATABASE_URL|https?_proxy|all_proxy)$/i

/** The server's own, which .env may hold, too: "production" and "127.0.0.1" stand in ordinary texts. */
const OWN_VARIABLES: ReadonlySet<string> = new Set(describeEnvironment().map(({ name }) => name))

/** Of the settings of OpenTelemetry, those that hold the key of a collector; the others are names and addresses. */
const TELEMETRY_VARIABLE = /^OTEL_/
const TELEMETRY_KEY = /^OTEL_EXPORTER_OTLP_(\w+_)?HEADERS$/

/**
 * Every line of `.env` is one, but for settings of the server and of OpenTelemetry: that is what the file is for. Of
 * the environment, what has the name of one or is named as one.
 */
export function deployValues({ env, dotEnv, config }: DeploySources): readonly KnownValue[] {
  const named = new Set(variablesNamedBy(config))
  const variables = Object.entries(env).flatMap(([name, value]): KnownValue[] => {
    if (value === undefined || value === '') return []
    if (ADDRESS_VARIABLE.test(name)) return passwordsIn({ name, value })
    if (TELEMETRY_VARIABLE.test(name)) return ofTelemetry({ name, value })
    return SECRET_VARIABLE.test(name) || named.has(name) ? [{ name, value }] : []
  })
  const lines = [...dotEnv].flatMap(([name, value]) => {
    const line = { name: `${name} of .env`, value }
    if (OWN_VARIABLES.has(name)) return ADDRESS_VARIABLE.test(name) ? passwordsIn(line) : []
    return TELEMETRY_VARIABLE.test(name) ? ofTelemetry({ ...line, variable: name }) : [line]
  })
  return [...variables, ...lines, ...inConfig(config)]
}

/** What is behind each "=" of `a=b,c=d`, as it is sent, and without a word such as "Bearer" before it. */
function ofTelemetry({ name, value, variable = name }: KnownValue & { readonly variable?: string }): KnownValue[] {
  if (!TELEMETRY_KEY.test(variable)) return passwordsIn({ name, value })
  return value.split(',').flatMap((header) => {
    const sent = decode(header.slice(header.indexOf('=') + 1).trim())
    return [...new Set([sent, sent.slice(sent.lastIndexOf(' ') + 1)])].map((each) => ({ name, value: each }))
  })
}

function variablesNamedBy(config: Config): string[] {
  const keys = [...config.providers.values()].flatMap(({ apiKeyEnv }) => apiKeyEnv ?? [])
  const ofServers = [...config.mcp.values()].flatMap(({ reach }) =>
    reach.kind === 'PROGRAM' ? reach.env : (reach.bearer ?? []),
  )
  return [...keys, ...ofServers, ...[...config.tokens.values()].flatMap((token) => token.webhookSecretEnvs)]
}

function inConfig({ tokens }: Config): KnownValue[] {
  return [...tokens.values()].flatMap(({ name, plainToken, webhookSecrets }) => [
    ...(plainToken === null ? [] : [{ name: `tokens.${name}.token`, value: plainToken }]),
    ...webhookSecrets.map((value) => ({ name: `tokens.${name}.webhook_secret`, value })),
  ])
}

/**
 * The password in an address, as it stands there and decoded. One that is also the user's name hides nothing: it is no
 * secret.
 */
export function passwordsIn({ name, value }: KnownValue): KnownValue[] {
  const [address] = hostAddresses(value)
  if (!URL.canParse(address)) return []
  const { username, password } = new URL(address)
  if (password === '' || password === username) return []
  return [...new Set([password, decode(password)])].map((each) => ({ name: `the password in ${name}`, value: each }))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a lone "%" is a character like any other
  }
}
