/**
 * Secrets that are told by how they are built, whatever is said of them: keys in PEM, signed tokens, cookies, numbers
 * of accounts and cards whose check digits are right, and the words of a wallet. Pure.
 */
import { COMMON_WORDS } from './secret-words.ts'

/** Whether a text has one of them. */
export function hasBuiltSecret(text: string): boolean {
  return (
    BUILT.test(text) ||
    matches(IBAN, text).some((one) => isIban(one.replaceAll(' ', ''))) ||
    matches(CARD, text).some((one) => isCard(one.replaceAll(/\D/gu, ''))) ||
    hasWordList(text)
  )
}

const BUILT = new RegExp(
  [
    '-----BEGIN (?:[A-Z]+ )*PRIVATE KEY',
    'eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.',
    '(?:^|\\W)(?:set-)?cookie2?\\s*:\\s*[\\w.-]+=[^\\s;]{8,}',
    '(?:^|\\W)(?:\\w*sess(?:ion)?_?(?:id)?|sid|csrf\\w*)=[\\w%.+/-]{16,}',
  ].join('|'),
  'iu',
)

const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/gu
const CARD = /\b\d(?:[ -]?\d){12,18}\b/gu

function matches(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([one]) => one)
}

/** By its check digits (ISO 13616). */
function isIban(number: string): boolean {
  const turned = number.slice(4) + number.slice(0, 4)
  let rest = 0
  for (const sign of turned)
    for (const digit of String(Number.parseInt(sign, 36))) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}

/** By its check digit (Luhn). */
function isCard(digits: string): boolean {
  const signs = Array.from(digits, Number).toReversed()
  const sum = signs.reduce((total, sign, at) => {
    const digit = sign * (at % 2 === 0 ? 1 : 2)
    return total + (digit > 9 ? digit - 9 : digit)
  }, 0)
  return sum % 10 === 0 && new Set(digits).size > 1
}

/** As many as the shortest wallet has. */
const MIN_WORDS = 12
/** A dozen words in a row, and no common one among them: the words of a wallet. */
function hasWordList(text: string): boolean {
  let run = 0
  for (const word of text.split(/[\s,]+/u)) {
    const isListed = /^\p{L}{3,8}[.;!?]?$/u.test(word) && !COMMON_WORDS.has(word.toLowerCase())
    run = isListed ? run + 1 : 0
    if (run === MIN_WORDS) return true
  }
  return false
}
