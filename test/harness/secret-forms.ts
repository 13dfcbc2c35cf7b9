/**
 * How programs print a secret: written independently of the redactor, which must know every one of these forms. Used by
 * its property tests and by the canaries (leaks.ts).
 */

/** A text in which the secret stands in some form. */
export interface Written {
  readonly text: string
  /** None of these may be in the text when it is redacted. */
  readonly traces: readonly string[]
}

export interface Around {
  readonly before: string
  readonly after: string
}

export interface SecretForm {
  readonly name: string
  readonly write: (secret: string, around: Around) => Written
  /** Left out: it can write every secret. */
  readonly fits?: (secret: string) => boolean
}

const isGraphic = (secret: string): boolean => /^[!-~]+$/.test(secret)
/**
 * Of a letter beyond ASCII nothing is left, so enough others must be there; two in a row may be taken for one of UTF-8.
 */
const isMostlyLatin = (secret: string): boolean =>
  /^(?:[!-~]|[\u00c0-\u00ff](?=[!-~]))+$/.test(secret) && secret.replace(/[^!-~]/g, '').length >= 8
const isPrintable = (secret: string): boolean => /^[ -~]+$/.test(secret)

/** A form that says only the secret, between what is around it. */
function literal(name: string, write: (secret: string) => string, fits?: SecretForm['fits']): SecretForm {
  return {
    name,
    write: (secret, { before, after }) => ({ text: `${before}${write(secret)}${after}`, traces: [write(secret)] }),
    ...(fits === undefined ? {} : { fits }),
  }
}

const apart = (between: string): SecretForm =>
  literal(`letters apart by ${JSON.stringify(between)}`, (secret) => secret.split('').join(between), isGraphic)

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
const hexOf = (bytes: Buffer): string => bytes.toString('hex')
const wrap = (text: string, width: number, end = '\n'): string =>
  text.replace(new RegExp(`.{${width}}`, 'g'), `$&${end}`)
const utf16le = (text: string): Buffer => Buffer.from(text, 'utf16le')
const utf16be = (text: string): Buffer => utf16le(text).swap16()

/**
 * A form that encodes what is around the secret together with it. `encode` must be the same for bytes wherever they
 * stand in groups.
 */
function encoded(
  name: string,
  {
    encode,
    toBytes = (text) => Buffer.from(text),
    bitsOfCharacter,
  }: {
    readonly encode: (bytes: Buffer) => string
    readonly toBytes?: (text: string) => Buffer
    readonly bitsOfCharacter: number
  },
): SecretForm[] {
  return [0, 1, 2, 3, 4].map((offset) => ({
    name: `${name}, behind ${offset} bytes`,
    write: (secret, { before, after }) => {
      const front = Buffer.alloc(offset, 'x')
      const bytes = toBytes(secret)
      const whole = encode(Buffer.concat([front, bytes, toBytes('& more')]))
      const [first, last] = [(offset * 8) / bitsOfCharacter, ((offset + bytes.length) * 8) / bitsOfCharacter]
      const own = whole.replace(/\s/g, '').slice(Math.ceil(first), Math.floor(last))
      // The longest part between two line ends, too: it tells as much.
      return { text: `${before} ${whole}${after}`, traces: [own, ...(own === whole.replace(/\s/g, '') ? [whole] : [])] }
    },
  }))
}

const base64 = (bytes: Buffer): string => bytes.toString('base64')
const base64Twice =
  (width: number) =>
  (bytes: Buffer): string =>
    base64(Buffer.from(wrap(base64(bytes), width)))

function base32(bytes: Buffer): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  const groups = bits.match(/.{1,5}/g) ?? []
  const chars = groups.map((group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(parseInt(group.padEnd(5, '0'), 2)))
  return chars.join('').padEnd(Math.ceil(chars.length / 8) * 8, '=')
}

interface DumpStyle {
  readonly perLine: number
  readonly address?: (place: number) => string
  readonly size?: number
  readonly number: (bytes: Buffer) => string
  readonly between?: string
  /** The letters beside the numbers, padded to where they stand in a whole line. */
  readonly letters?: (bytes: Buffer, numbers: string) => string
}

/** A dump of the secret among other bytes; no line that has a byte of it may be left. */
function dump(name: string, style: DumpStyle, fits?: SecretForm['fits']): SecretForm[] {
  return [0, 5, 15].map((offset) => ({
    name: `${name}, behind ${offset} bytes`,
    ...(fits === undefined ? {} : { fits }),
    write: (secret, { before, after }) => {
      const bytes = Buffer.concat([Buffer.alloc(offset, 'x'), Buffer.from(secret), Buffer.from(' & more\n')])
      const end = offset + Buffer.byteLength(secret)
      const lines = linesOf(bytes, style)
      const own = lines.filter((_, n) => (n + 1) * style.perLine > offset && n * style.perLine < end)
      return { text: `${before}\n${lines.join('\n')}\n${after}`, traces: own.map((line) => line.trim()) }
    },
  }))
}

function linesOf(bytes: Buffer, { perLine, address, size = 1, number, between = ' ', letters }: DumpStyle): string[] {
  return Array.from({ length: Math.ceil(bytes.length / perLine) }, (_, n) => {
    const line = bytes.subarray(n * perLine, (n + 1) * perLine)
    const count = Math.ceil(line.length / size)
    const numbers = Array.from({ length: count }, (_, at) => number(line.subarray(at * size, (at + 1) * size))).join(
      between,
    )
    return `${address?.(n * perLine) ?? ''}${numbers}${letters?.(line, numbers) ?? ''}`
  })
}

const readable = (bytes: Buffer): string => bytes.toString('latin1').replace(/[^ -~]/g, '.')
const padded = (bytes: Buffer, size: number): Buffer => Buffer.concat([bytes, Buffer.alloc(size - bytes.length)])
const little =
  (size: number, radix: number, digits: number) =>
  (bytes: Buffer): string =>
    BigInt(`0x${hexOf(Buffer.from(padded(bytes, size).toReversed()))}`)
      .toString(radix)
      .padStart(digits, '0')
const od = (place: number): string => `${place.toString(8).padStart(7, '0')} `
const hexdump = (place: number): string => `${place.toString(16).padStart(7, '0')} `
const xxd = (place: number): string => `${place.toString(16).padStart(8, '0')}: `
const beside =
  (width: number) =>
  (bytes: Buffer, numbers: string): string =>
    `${' '.repeat(width - numbers.length)}  ${readable(bytes)}`

function letter(byte: number): string {
  const named: Readonly<Record<number, string>> = {
    0: '\\0',
    7: '\\a',
    8: '\\b',
    9: '\\t',
    10: '\\n',
    11: '\\v',
    12: '\\f',
    13: '\\r',
  }
  const said = named[byte] ?? (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(8).padStart(3, '0'))
  return said.padStart(4)
}
const letterOf = (bytes: Buffer): string => letter(bytes[0] ?? 0)
const nameOf = (bytes: Buffer): string => (bytes[0] === 32 ? '  sp' : bytes[0] === 10 ? '  nl' : letterOf(bytes))

const dumps: readonly SecretForm[] = [
  ...dump('xxd', { perLine: 16, address: xxd, size: 2, number: hexOf, letters: beside(39) }),
  ...dump('xxd -u -g 4', {
    perLine: 16,
    address: xxd,
    size: 4,
    number: (bytes) => hexOf(bytes).toUpperCase(),
    letters: beside(35),
  }),
  ...dump('xxd -e', {
    perLine: 16,
    address: xxd,
    size: 4,
    number: (bytes) => hexOf(Buffer.from(bytes.toReversed())).padStart(8),
    letters: beside(35),
  }),
  ...dump('xxd -b', {
    perLine: 6,
    address: xxd,
    number: (bytes) => (bytes[0] ?? 0).toString(2).padStart(8, '0'),
    letters: beside(53),
  }),
  ...dump('xxd -c 10', { perLine: 10, address: xxd, size: 2, number: hexOf, letters: beside(24) }),
  ...dump('xxd -i', {
    perLine: 12,
    address: () => '  ',
    number: (bytes) => `0x${hexOf(bytes)}`,
    between: ', ',
    letters: () => ',',
  }),
  ...dump('xxd -p', { perLine: 30, size: 30, number: hexOf }),
  ...dump('hexdump', { perLine: 16, address: hexdump, size: 2, number: little(2, 16, 4) }),
  ...dump('hexdump -C', {
    perLine: 16,
    address: (place) => `${place.toString(16).padStart(8, '0')}  `,
    number: hexOf,
    letters: (bytes, numbers) => `${' '.repeat(49 - numbers.length)}|${readable(bytes)}|`,
  }),
  ...dump('hexdump -b', { perLine: 16, address: hexdump, number: little(1, 8, 3) }),
  ...dump('hexdump -d', { perLine: 16, address: hexdump, size: 2, number: little(2, 10, 5), between: '   ' }),
  ...dump('od', { perLine: 16, address: od, size: 2, number: little(2, 8, 6) }),
  ...dump('od -b', { perLine: 16, address: od, number: little(1, 8, 3) }),
  ...dump('od -c', { perLine: 16, address: (place) => od(place).trimEnd(), number: letterOf, between: '' }),
  ...dump('od -An -c', { perLine: 16, number: letterOf, between: '' }),
  ...dump('od -a', { perLine: 16, address: (place) => od(place).trimEnd(), number: nameOf, between: '' }, isPrintable),
  ...dump('od -t x1', { perLine: 16, address: od, number: hexOf }),
  ...dump('od -t x1z', { perLine: 16, address: od, number: hexOf, letters: (bytes) => `  >${readable(bytes)}<` }),
  ...dump('od -An -t x1', { perLine: 16, address: () => ' ', number: hexOf }),
  ...dump('od -x', { perLine: 16, address: od, size: 2, number: little(2, 16, 4) }),
  ...dump('od -t x4', { perLine: 16, address: od, size: 4, number: little(4, 16, 8) }),
  ...dump('od -t x8', { perLine: 16, address: od, size: 8, number: little(8, 16, 16) }),
  ...dump('od -t o4', { perLine: 16, address: od, size: 4, number: little(4, 8, 11) }),
  ...dump('od -t u1', { perLine: 16, address: od, number: little(1, 10, 0) }),
  ...dump('od -t d1', { perLine: 16, address: od, number: (bytes) => String(bytes.readInt8(0)).padStart(4) }),
  ...dump('od -t u2', { perLine: 16, address: od, size: 2, number: little(2, 10, 0) }),
  ...dump('od -t d4', {
    perLine: 16,
    address: od,
    size: 4,
    number: (bytes) => String(padded(bytes, 4).readInt32LE(0)),
  }),
  ...dump('od -A x -t o2', {
    perLine: 16,
    address: (place) => `${place.toString(16).padStart(6, '0')} `,
    size: 2,
    number: little(2, 8, 6),
  }),
]

const inBase64 = (name: string, encode: (bytes: Buffer) => string, toBytes?: (text: string) => Buffer): SecretForm[] =>
  encoded(name, { encode, bitsOfCharacter: 6, ...(toBytes === undefined ? {} : { toBytes }) })

/** Base64 of what has another form says nothing in its characters alone: what must not be left is the middle of it. */
const ofOther = (forms: readonly SecretForm[]): SecretForm[] =>
  forms.map((form) => ({
    ...form,
    write: (secret, around) => {
      const { text, traces } = form.write(secret, around)
      return { text, traces: traces.map((trace) => trace.slice(8, -8)).filter((trace) => trace.length >= 8) }
    },
  }))

export const secretForms: readonly SecretForm[] = [
  literal('plain', (secret) => secret),
  literal('Latin-1 read as UTF-8', (secret) => Buffer.from(secret, 'latin1').toString(), isMostlyLatin),
  literal('UTF-16 read as UTF-8', (secret) => utf16le(secret).toString().slice(0, -1), isMostlyLatin),
  literal('upper case', (secret) => secret.toUpperCase()),
  literal('lower case', (secret) => secret.toLowerCase()),
  literal('case turned', (secret) =>
    secret.replace(/[a-zA-Z]/g, (char) => (/[a-z]/.test(char) ? char.toUpperCase() : char.toLowerCase())),
  ),
  literal('reversed', (secret) => Array.from(secret).toReversed().join('')),
  literal('in lines of five', (secret) => wrap(secret, 5), isGraphic),
  ...[' ', '-', '.', '\n', '_', ', ', "', '", '","', '\0', '\uFFFD'].map(apart),
  literal('URL component', (secret) => encodeURIComponent(secret)),
  literal('URL component in lower case', (secret) =>
    encodeURIComponent(secret).replace(/%../g, (byte) => byte.toLowerCase()),
  ),
  literal('URL form', (secret) => new URLSearchParams({ key: secret }).toString().slice(4)),
  literal('URL with every byte encoded', (secret) => hexOf(Buffer.from(secret)).replace(/../g, '%$&')),
  literal('JSON', inJson),
  literal('JSON in JSON', (secret) => inJson(inJson(secret))),
  literal('JSON in ASCII', (secret) =>
    inJson(secret).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ),
  literal('JSON with escaped slashes', (secret) => inJson(secret).replaceAll('/', '\\/')),
  literal('escapes in hex', (secret) => hexOf(Buffer.from(secret)).replace(/../g, '\\x$&')),
  literal('a list of numbers', (secret) => ` [${[...Buffer.from(secret)].join(',')}]`),
  literal('a list of numbers, in lines', (secret) => ` [\n  ${[...Buffer.from(secret)].join(',\n  ')}\n]`),
  literal(
    'a list of hex numbers',
    (secret) => ` {${[...Buffer.from(secret)].map((byte) => `0x${byte.toString(16)}`).join(', ')}}`,
  ),
  literal('hex', (secret) => hexOf(Buffer.from(secret))),
  literal('hex in upper case', (secret) => hexOf(Buffer.from(secret)).toUpperCase()),
  literal('hex in groups', (secret) => wrap(hexOf(Buffer.from(secret)), 4, ' ')),
  literal('hex with colons', (secret) => hexOf(Buffer.from(secret)).replace(/..(?=.)/g, '$&:')),
  literal('hex of UTF-16, little end first', (secret) => hexOf(utf16le(secret))),
  literal('hex of UTF-16, big end first', (secret) => hexOf(utf16be(secret))),
  ...inBase64('base64', base64),
  ...inBase64('base64 in lines', (bytes) => wrap(base64(bytes), 76)),
  ...inBase64('base64 in short lines', (bytes) => wrap(base64(bytes), 7, '\r\n  ')),
  ...inBase64('base64url', (bytes) => bytes.toString('base64url')),
  ...inBase64('base64 of UTF-16, little end first', base64, utf16le),
  ...inBase64('base64 of UTF-16, big end first', base64, utf16be),
  ...ofOther(encoded('base64 twice', { encode: base64Twice(76), bitsOfCharacter: 4.5 })),
  ...ofOther(encoded('base64 twice, in one line', { encode: base64Twice(1_000_000), bitsOfCharacter: 4.5 })),
  ...encoded('base32', { encode: base32, bitsOfCharacter: 5 }),
  ...encoded('base32 in lines', { encode: (bytes) => wrap(base32(bytes), 76), bitsOfCharacter: 5 }),
  ...encoded('base32 in lower case', { encode: (bytes) => base32(bytes).toLowerCase(), bitsOfCharacter: 5 }),
  ...dumps,
]
