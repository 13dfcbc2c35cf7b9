/**
 * "/link 7K2M9-4X8P3": with such a message a person links the channel in which they write to the user who was shown the
 * code (src/people/redeem-link-code.ts). What must hold: no code stands in a text that is stored or that a model reads.
 */
import { REDACTED } from './redacted.ts'

/** Crockford's base32: no letter that is mistaken for another, or for a digit. */
export const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 50 bits. */
export const CODE_LENGTH = 10
const CODE_FORM = new RegExp(`^[${CODE_ALPHABET}]{${CODE_LENGTH}}$`)

/** Whether a code may be given out: one of letters alone would be taken for a word. */
export function isLinkCode(code: string): boolean {
  return readLinkCode(code) === code && /[2-9]/.test(code)
}

export interface LinkCommand {
  /** As it was written; it may be none. */
  readonly code: string
  /** The user whom the channel is known as becomes a part of the other one. */
  readonly merge: boolean
}

/** What stands in the conversation for such a message. */
export const LINK_MESSAGE = `/link ${REDACTED}`

/** The code as it was made, whatever the case and the dashes of what was typed; null: no code is like this. */
export function readLinkCode(text: string): string | null {
  if (text.length > 4 * CODE_LENGTH) return null
  const code = asTyped(text).replaceAll(/[-\s]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return CODE_FORM.test(code) ? code : null
}

/** In two groups, for people. */
export function showLinkCode(code: string): string {
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`
}

/**
 * A character too few or too many counts as well: most of a code is too much to be kept. Words without a digit are
 * none: every code has one.
 */
const CODE = String.raw`(?=[a-z -]{0,12}[0-9])(?:[0-9a-z](?:-?[0-9a-z]){7,11}|[0-9a-z]{4,6} [0-9a-z]{4,6})`
/** Chat platforms name the agent before a command, or behind it. */
const COMMAND = new RegExp(
  String.raw`^\s*(?:[@<]\S{1,100}\s+){0,2}/link(?:@\S{1,100})?\s+(?<code>${CODE})(?<merge>\s+merge)?\s*$`,
  'i',
)
const WITHIN = new RegExp(String.raw`(?<!\S)(/link(?:@\S{1,100})?\s+)(${CODE})(?![0-9a-z-])`, 'gi')

/** Longer is no command. */
const MAX_COMMAND_CHARS = 500

/** Keyboards of East Asia write wide signs, and what is copied out of a text from the right has marks of direction. */
function asTyped(text: string): string {
  return text.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
}

/** Null: the message is for the agent. */
export function linkCommandOf(content: string): LinkCommand | null {
  if (content.trim().length > MAX_COMMAND_CHARS) return null
  const groups = COMMAND.exec(asTyped(content))?.groups
  return groups === undefined ? null : { code: groups['code'] ?? '', merge: groups['merge'] !== undefined }
}

/** "/link" alone, or with one or two words behind it. */
const ATTEMPT = /^\s*(?:[@<]\S{1,100}\s+){0,2}\/link(?:@\S{1,100})?(?:\s+\S{1,40}){0,2}\s*$/i

/** Whether the writer wanted to link a channel, and there is no code in it. */
export function lacksLinkCode(content: string): boolean {
  return ATTEMPT.test(asTyped(content)) && linkCommandOf(content) === null
}

/** The text without the codes that stand behind "/link" in it. Done again, nothing changes. */
export function hideLinkCodes(content: string): string {
  const command = linkCommandOf(content)
  if (command !== null) return LINK_MESSAGE
  const hidden = hideWithin(content)
  if (!WIDE.test(hidden)) return hidden
  // A text with a wide code goes on in usual signs; any other one stays as it is.
  const usual = asTyped(hidden)
  const again = hideWithin(usual)
  return again === usual ? hidden : again
}

const WIDE = /[\uff01-\uff5e]/

function hideWithin(text: string): string {
  return text.replace(WITHIN, (all, before: string, code: string) =>
    readLinkCode(code) === null ? all : `${before}${REDACTED}`,
  )
}
