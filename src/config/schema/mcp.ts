/** `[mcp.<name>]`: servers of tools that speak the Model Context Protocol (src/mcp). */
import * as z from 'zod'
import { isVariableName, says, seconds, text, trueOrFalse } from '../field.ts'
import { isReservedSource, isSourceName, RESERVED_SOURCES } from '../../core/tool/tool-name.ts'
import type { McpServerConfig } from '../config.ts'

const NAME_RULE = `must be 1 to 32 lower-case letters, digits or "-", beginning with a letter, and none of ${RESERVED_SOURCES}`
const COMMAND_RULE = 'must be a program such as "node" or "/usr/bin/uvx"; its arguments belong into args'
const URL_RULE = 'must be an http or https address such as "https://mcp.example.org/mcp", without a key in it'
const VARIABLE_RULE = 'must be the NAME of a secret, a line of .env or an environment variable, such as "GMAIL_TOKEN"'
const MAX_ARGS = 100

const variable = () => text(VARIABLE_RULE, isVariableName, { hidden: true })

export const mcpServerSchema = z
  .strictObject(
    {
      command: text(COMMAND_RULE, isProgram)
        .optional()
        .meta({
          description:
            'The program of a server that speaks over its standard input and output. It runs in the sandbox, in the folder ' +
            'mcp/<name> beside config.toml, which it finds as /workspace. "node" is the Node of this server.',
        }),
      args: z
        .array(
          text('must be a text without NUL', (value) => !value.includes('\0')),
          says('must be a list of texts'),
        )
        .max(MAX_ARGS, says(`must have at most ${MAX_ARGS} entries`))
        .optional()
        .meta({ description: 'Its arguments.' }),
      env: z
        .array(variable(), says('must be a list of names of secrets, such as ["GMAIL_TOKEN"]', { hidden: true }))
        .optional()
        .meta({
          description: 'Names of the secrets (.env, environment) that it gets as variables; it gets no others.',
        }),
      network: trueOrFalse().optional().meta({
        description: "Whether the program has this machine's network, inside addresses included. Default: false.",
      }),
      url: text(URL_RULE, isPlainUrl, { hidden: true })
        .optional()
        .meta({ description: 'Instead of command: the address of a server that speaks Streamable HTTP.' }),
      bearer: variable().optional().meta({
        description: 'The name of the secret that is sent to the url as "Authorization: Bearer …".',
      }),
      allow_private: trueOrFalse().optional().meta({
        description:
          'Whether the url may lead to addresses that are not on the public internet, and begin with "http://". Default: false.',
      }),
      timeout: seconds({ min: 1, max: 3600 }).default(60).meta({
        description:
          'Seconds after which a call is given up, whatever exec_timeout is, and within which the server must start.',
      }),
      enabled: trueOrFalse().default(true).meta({ description: 'Whether its tools are offered.' }),
    },
    says('must be a section [mcp.<name>]', { hidden: true }),
  )
  .superRefine((server, context) => {
    const problem = contradictionIn(server)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })

export const mcpSchema = z.record(text(NAME_RULE, isServerName), mcpServerSchema, says('must be sections [mcp.<name>]'))

type McpSection = z.output<typeof mcpServerSchema>

/** The server as the code reads it. */
export function toMcpServer(server: McpSection, name: string): McpServerConfig {
  const { url, command = '', args = [], env = [], network = false, bearer = null, allow_private = false } = server
  return {
    name,
    reach:
      url === undefined
        ? { kind: 'PROGRAM', command, args, env, hasNetwork: network }
        : { kind: 'URL', url, bearer, allowPrivate: allow_private },
    timeoutMs: Math.round(server.timeout * 1000),
    enabled: server.enabled,
  }
}

/** What does not go together, as a sentence without its subject. */
function contradictionIn({ command, url, args, env, network, bearer, allow_private }: McpSection): string | null {
  if ((command === undefined) === (url === undefined)) return 'must have either command or url'
  const ofOther = url === undefined ? { bearer, allow_private } : { args, env, network }
  const stray = Object.entries(ofOther).find(([, value]) => value !== undefined)?.[0]
  if (stray !== undefined) return `has ${stray}, which goes with ${url === undefined ? 'url' : 'command'} alone`
  const isOpen = url !== undefined && /^http:/i.test(url) && allow_private !== true
  return isOpen ? 'has a url without https: that needs allow_private = true' : null
}

function isServerName(value: string): boolean {
  return isSourceName(value) && !isReservedSource(value)
}

function isProgram(value: string): boolean {
  return value.length <= 1000 && /^[^\s\0-][^\0]*$/.test(value)
}

function isPlainUrl(value: string): boolean {
  if (value.length > 2000 || !/^https?:\/\//i.test(value) || !URL.canParse(value)) return false
  const url = new URL(value)
  return url.username === '' && url.password === '' && url.hash === ''
}
