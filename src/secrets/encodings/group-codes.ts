/**
 * Codes that write bytes as characters of a few bits each, in groups that have nothing to do with where a secret
 * begins.
 */
export interface GroupCode {
  readonly bitsOfCharacter: number
  /** So many characters are whole bytes: a byte begins at one of as many places. */
  readonly groupChars: number
  /** What does not count within the code, such as line ends. */
  readonly foreign: RegExp
  /** Of characters that all belong to the code, the bytes as characters. */
  readonly decode: (chars: string) => string
}

/** Of both alphabets. */
export const BASE64: GroupCode = {
  bitsOfCharacter: 6,
  groupChars: 4,
  foreign: /[^A-Za-z0-9+/_-]/g,
  decode: (chars) => Buffer.from(chars, 'base64').toString('latin1'),
}

/** In folded case. */
export const BASE32_ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** In folded case. */
export const BASE32: GroupCode = { bitsOfCharacter: 5, groupChars: 8, foreign: /[^a-z2-7]/g, decode: decodeBase32 }

function decodeBase32(chars: string): string {
  let bytes = ''
  let [bits, count] = [0, 0]
  for (const char of chars) {
    bits = ((bits << 5) | BASE32_ALPHABET.indexOf(char)) & 0xfff
    count += 5
    if (count >= 8) bytes += String.fromCharCode((bits >> (count -= 8)) & 0xff)
  }
  return bytes
}
