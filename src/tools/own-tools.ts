/**
 * Tools of the server itself, which every user may call in a conversation. No approval is asked for them: they keep
 * what was said, and have no effect outside. The turn that calls one carries it out (src/turn/chat).
 */
import type { ToolSnapshot } from './tool-catalog.ts'
import type { ToolOffer } from './tool.ts'

/** What the assistant thinks should be known in other conversations. */
export const REMEMBER = {
  name: 'memory__remember',
  source: 'memory',
  description:
    'Proposes a fact for all conversations: one self-contained sentence that stays true. It is checked before it counts.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string', minLength: 1, maxLength: 1000 } },
    required: ['text'],
    additionalProperties: false,
  },
  effect: 'WRITE',
} as const satisfies ToolOffer

/** A credential that a message holds. */
export const KEEP_SECRET = {
  name: 'session__keep_secret',
  source: 'session',
  description:
    'Keeps a password, key or token of the message for this session, so that skills which declare it are given it. Call it at once when ' +
    'the message holds one.',
  parameters: {
    type: 'object',
    properties: {
      key: { type: 'string', description: 'A name such as GITHUB_TOKEN: letters, digits and "_".' },
      value: { type: 'string', description: 'As it stands in the message.', minLength: 8, maxLength: 4096 },
    },
    required: ['key', 'value'],
    additionalProperties: false,
  },
  effect: 'WRITE',
} as const satisfies ToolOffer

/** All of them. */
export const OWN_TOOLS: readonly ToolOffer[] = [REMEMBER, KEEP_SECRET]

/** Whether a call of this name reaches one of them: a tool that the catalogue has is not the server's own. */
export function isOwnTool({ tools }: Pick<ToolSnapshot, 'tools'>, name: string | null): boolean {
  return OWN_TOOLS.some((tool) => tool.name === name && !tools.has(tool.name))
}
