/**
 * Secrets that are known by how they are written: keys of services, webhooks, private keys, addresses with a password,
 * 64 hex digits.
 */
import type { CuePlace, SecretForm } from './secret-form.ts'

const KEY_CHARS = 512
/** An RSA key of 16 384 bits has 12 kB. */
const PEM_CHARS = 16_384

/** A key that begins with `cue`, of at least 12 characters more. */
function key(cue: RegExp, rest = /^(?<value>[\w+/-]{12,})/): SecretForm {
  return { cue, rest, reach: KEY_CHARS, withCue: true }
}

/** An address behind whose host stands all that one needs to post. */
function webhook(cue: RegExp, rest: RegExp): SecretForm {
  return { cue, rest, reach: KEY_CHARS }
}

/** What is said on the line of a digest, before it or behind: then it hides nothing. */
const DIGEST =
  /sha-?(?:1|2|3|256|384|512)|digest|checksum|hash|\bsums?\b|commit|revision|fingerprint|integrity|e-?tag|merkle|\b(?:block|txn?|transaction|image|layer|blob|tree|object|verif\w*)\b|prüfsumme|quersumme|empreinte|somme de contr|suma de|ハッシュ|チェックサム|校验|哈希/i
/** As sums of files are listed: two spaces, or one and a mark of binary files, and a name. */
const FILE_NAME = /^(?: [ *]|\s+\S*\.)\S/
const AROUND_CHARS = 120

function isNoDigest(_: string, { text, cue, end }: CuePlace): boolean {
  const before = text.slice(Math.max(0, cue.end - AROUND_CHARS), cue.end)
  const behind = text.slice(end, end + AROUND_CHARS)
  const line = `${before.slice(before.lastIndexOf('\n') + 1)} ${behind.slice(0, endOfLine(behind))}`
  return !DIGEST.test(line) && !FILE_NAME.test(behind)
}

function endOfLine(text: string): number {
  const place = text.indexOf('\n')
  return place === -1 ? text.length : place
}

/** Basic authentication is base64 of a name, a colon and a password. */
function isNameAndPassword(value: string): boolean {
  return /^[ -9;-~]{0,200}:[ -~]+$/.test(Buffer.from(value, 'base64').toString('latin1'))
}

const hasDigit = (value: string): boolean => /\d/.test(value)

/** Behind "://", up to the "@" of an address. */
const PASSWORD_OF_ADDRESS = /^[^\s/:@?#]{0,200}:(?<value>[^\s/@$<{[][^\s/@]{0,200})(?=@)/

export const keyForms: readonly SecretForm[] = [
  {
    cue: /-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g,
    rest: /^(?<value>[^]*?(?:-----END [A-Z0-9 ]{0,40}-----|$))/,
    reach: PEM_CHARS,
    withCue: true,
  },
  key(
    /(?<![A-Za-z0-9_])(?:gh[pousr]_|github_pat_|glpat-|gl(?:dt|rt|cbt|ptt|ft|imt|agent|soat)-|xox[abeprs]-|xapp-|sk-)/g,
  ),
  key(
    /(?<![A-Za-z0-9_])(?:[rps]k_(?:live|test)_|npm_|do[opr]_v1_|hf_|pypi-|dckr_pat_|whsec_|shp(?:at|ca|pa|ss)_|lin_api_|fct_)/g,
  ),
  key(/(?<![A-Za-z0-9_])(?:AKIA|ASIA|ABIA|ACCA)/g, /^(?<value>[A-Z0-9]{12,})/),
  key(/(?<![A-Za-z0-9_])AIza/g, /^(?<value>[\w-]{12,})/),
  key(/(?<![A-Za-z0-9_])SG\./g, /^(?<value>[\w-]{16,}\.[\w-]{16,})/),
  { ...key(/(?<![A-Za-z0-9_])eyJ/g, /^(?<value>[\w-]{8,}\.[\w-]{8,}\.[\w-]{5,})/), reach: 4096 },
  webhook(/\bhooks\.slack(?:-gov)?\.com\//gi, /^(?<value>(?:services|workflows|triggers)\/[\w/-]{16,})/),
  webhook(/\bdiscord(?:app)?\.com\/api\//gi, /^(?:v\d{1,2}\/)?(?<value>webhooks\/\d{1,20}\/[\w-]{16,})/),
  webhook(/\b(?:webhook\.office\.com|outlook\.office(?:365)?\.com)\//gi, /^(?<value>webhook[\w@/-]{16,})/),
  webhook(/\b(?:logic\.azure\.com|powerplatform\.com)(?=[:/])/gi, /^\S*?[?&]sig=(?<value>[\w%-]{16,})/),
  webhook(/\bchat\.googleapis\.com\/v1\/spaces\//gi, /^(?<value>[\w/-]+\?key=[\w%&=-]{16,})/),
  webhook(/\bhooks\.zapier\.com\/hooks\/catch\//gi, /^(?<value>[\w/-]{8,})/),
  // Mattermost and Rocket.Chat, under any host.
  webhook(
    /:\/\/[\w.-]{1,200}(?::\d{1,5})?(?:\/[\w-]{1,40}){0,2}\/hooks\//gi,
    /^(?<value>[A-Za-z0-9]{17,26}(?:\/[A-Za-z0-9]{40,})?)(?![\w/-])/,
  ),
  // Bots of Telegram.
  {
    cue: /(?<!\d)\d{8,10}:(?=[\w-]{35})/g,
    rest: /^(?<value>[\w-]{35})(?![\w-])/,
    reach: 36,
    withCue: true,
    isSecret: hasDigit,
  },
  { cue: /\bBearer\s{1,4}/gi, rest: /^(?<value>[\w.~+/-]{16,}={0,2})/, reach: 4096, isSecret: hasDigit },
  {
    cue: /\bAuthorization["']?\s{0,2}[:=]\s{0,2}["']?Basic\s{1,4}/gi,
    rest: /^(?<value>[\w+/-]{8,}={0,2})/,
    reach: KEY_CHARS,
  },
  { cue: /\bBasic\s{1,4}/gi, rest: /^(?<value>[\w+/-]{8,}={0,2})/, reach: KEY_CHARS, isSecret: isNameAndPassword },
  { cue: /:\/\//g, rest: PASSWORD_OF_ADDRESS, reach: KEY_CHARS },
  {
    cue: /(?<![0-9a-fA-F])(?=[0-9a-fA-F]{64})/g,
    rest: /^(?<value>[0-9a-fA-F]{64})(?![0-9a-fA-F])/,
    reach: 65,
    isSecret: isNoDigest,
  },
]
