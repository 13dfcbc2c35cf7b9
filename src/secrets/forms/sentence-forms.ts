/**
 * Secrets that are called one: `DB_PASSWORD=…`, `"client_secret": "…"`, and "the password of staging is …" in the
 * languages that tests speak.
 */
import type { SecretForm } from './secret-form.ts'

const VALUE_CHARS = 256
/** Whose it is may take so long to say. */
const OWNER = String.raw`(?:[^\n.!?:=]|\.(?=\S)){1,60}?`
const REACH = 80 + VALUE_CHARS

/**
 * A name that stands for a secret, or where one is kept: `$DB_PASSWORD`, `<your key>`, `{{ token }}`, `vault(…)`, a
 * path, an address.
 */
const POINTS_ELSEWHERE =
  /^(?:[$<{%[(|*]|\.{0,2}\/|~\/|[a-z][a-z0-9+.-]{0,20}:\/\/|(?:process\.env|os\.environ|env|secrets|vars|import\.meta)[.[]|[\w.]{1,60}\()/i
const DATE = /^\d{4}-\d\d-\d\d/

/** In an assignment nearly everything is one. */
function isGiven(value: string): boolean {
  return !POINTS_ELSEWHERE.test(value) && new Set(value).size >= 4
}

/** In a sentence a word may stand in its place ("the password is unknown"): a secret has a digit, or a sign within. */
function isNoWord(value: string): boolean {
  return isGiven(value) && /\d|[!@#$%^&*+=~?](?=.)/.test(value) && !DATE.test(value)
}

/** Of tokens and keys there are also numbers, limits mostly. */
function isNoNumber(value: string): boolean {
  return isNoWord(value) && !/^[\d.,_]+$/.test(value)
}

type Joining = Pick<Language, 'of' | 'is'> & Pick<SecretForm, 'isSecret'>

/** `words`: what it is called; `of`: what joins it to its owner; `is`: what stands before the value. */
function sentence(words: string, { of, is, ...rules }: Joining): SecretForm {
  const open = String.raw`["'\x60„“”«»*]{0,2}`
  return {
    cue: new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${words})(?![\p{L}\p{N}])`, 'giu'),
    rest: new RegExp(
      String.raw`^["'\x60*]{0,2}(?:\s{1,3}(?:${of})${OWNER})??\s{0,3}(?:(?<=\s)(?:${is})\s|[:=：])\s{0,3}${open}\s?(?<value>\S{1,${VALUE_CHARS}})`,
      'iu',
    ),
    reach: REACH,
    ...rules,
  }
}

const NAMES =
  'PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|SECRET|TOKEN|CREDENTIALS?|(?:API|ACCESS|ACCOUNT|PRIVATE|SECRET|ENCRYPTION|SIGNING|MASTER)_?KEY'

interface Language {
  readonly passwords: string
  /** Words that numbers belong to as well, limits mostly. */
  readonly keys: string
  readonly of: string
  readonly is: string
}

const ENGLISH: Language = {
  passwords: 'password|passwd|passphrase|pass phrase|passcode|pwd|credentials?',
  keys: 'secret(?: key)?|(?:api|access|private|signing|encryption)[ _-]?key|token',
  of: 'of|for|to|on|at|in',
  is: 'is|are|was|will be|reads',
}
const GERMAN: Language = {
  passwords: 'Passwort|Kennwort|Zugangscode',
  keys: 'Schlüssel|Geheimnis|Token',
  of: 'von|vom|für|der|des|zu|zum|zur|auf|in|im',
  is: 'ist|lautet|war|heißt',
}
const FRENCH: Language = {
  passwords: 'mot de passe|code secret',
  keys: 'clé(?: secrète| API| privée)?|jeton',
  of: "de|du|des|pour|d['’]",
  is: 'est|était|sera',
}
const SPANISH: Language = {
  passwords: 'contraseña',
  keys: 'clave(?: secreta| de API)?|secreto',
  of: 'de|del|para',
  is: 'es|era|será',
}
const PORTUGUESE: Language = {
  passwords: 'senha|palavra-passe',
  keys: 'chave(?: secreta| de API)?|segredo',
  of: 'de|da|do|para',
  is: 'é|era|será',
}
const ITALIAN: Language = {
  passwords: "password|parola d['’]ordine",
  keys: 'chiave(?: segreta| API)?|segreto',
  of: 'di|del|della|per',
  is: 'è|era|sarà',
}

export const sentenceForms: readonly SecretForm[] = [
  // As in .env files: behind "=" whatever stands there.
  {
    cue: new RegExp(String.raw`(?:${NAMES})(?:_[0-9A-Z]{1,12})?(?==|:\s)`, 'g'),
    rest: new RegExp(
      String.raw`^(?:=|:\s{1,3})(?:"(?<value>[^"\n]{1,${VALUE_CHARS}})|'(?<value>[^'\n]{1,${VALUE_CHARS}})|(?<value>[^\s"'\x60]{1,${VALUE_CHARS}}))`,
    ),
    reach: REACH,
    isSecret: (value, { text, cue }) => (text.charAt(cue.end) === '=' ? isGiven(value) : isNoWord(value)),
  },
  // As in connection strings, queries, JSON and code, under any longer name.
  {
    cue: /(?:password|passwd|passphrase|pwd|secret|token|(?:api|access|account|private|secret|signing|encryption)[_-]?key)["'`]?\s{0,2}(?==|:)/gi,
    rest: new RegExp(String.raw`^(?:[:=]=?|=>)\s{0,2}["'\x60]?(?<value>[^\s"'\x60;&,]{1,${VALUE_CHARS}})`),
    reach: REACH,
    isSecret: isNoNumber,
  },
  ...[ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN].flatMap(({ passwords, keys, ...words }) => [
    sentence(passwords, { ...words, isSecret: isNoWord }),
    sentence(keys, { ...words, isSecret: isNoNumber }),
  ]),
  // Japanese and Chinese, which put no spaces between words.
  {
    cue: /パスワード|暗証番号|合言葉|秘密鍵|APIキー|トークン|密码|密碼|口令|密钥|密鑰|令牌/g,
    rest: new RegExp(
      String.raw`^[」』"']?\s{0,3}(?:は|が|是|为|為|：|:|=)\s{0,3}["'「『“]?(?<value>[!-~]{1,${VALUE_CHARS}})`,
    ),
    reach: REACH,
    isSecret: isNoWord,
  },
]
