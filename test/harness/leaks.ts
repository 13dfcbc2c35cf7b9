/**
 * Where in a text a secret stands, in any form that the redactor knows: written independently of it, for canary tests.
 */
const forms: Readonly<Record<string, (secret: string) => readonly string[]>> = {
  plain: (secret) => [secret],
  json: (secret) => [inJson(secret), inJson(inJson(secret)), inJson(inJson(inJson(secret)))],
  url: (secret) => [encodeURIComponent(secret), encodeURIComponent(secret).toLowerCase()],
  base64: (secret) => [0, 1, 2].flatMap((offset) => middleOf(secret, offset)),
  base32: (secret) => [0, 1, 2, 3, 4].map((offset) => middleInBase32(secret, offset)),
  hex: (secret) => [Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('hex').toUpperCase()],
  reversed: (secret) => [Array.from(coreOf(secret)).toReversed().join('')],
  'upper case': (secret) => [coreOf(secret).toUpperCase()],
}
/** Found across white space too, as programs break them into lines. */
const BROKEN = new Set(['base64', 'base32', 'hex'])

/** As texts stand in JSON. */
const ESCAPED: Readonly<Record<string, string>> = {
  '\\r': '',
  '\\n': '\n',
  '\\t': '\t',
  '\\"': '"',
  '\\\\': '\\',
}

export interface Leak {
  readonly name: string
  readonly form: string
  /** What stands around it. */
  readonly around: string
}

/**
 * `secrets`: name → value. What has letters apart, is base64 of base64 or a dump is undone first; in these, what counts
 * is the longest part of a secret that all of them write in the same way.
 */
export function findLeaks(text: string, secrets: Readonly<Record<string, string>>): Leak[] {
  const lines = text.replace(/\\[rnt"\\]/g, (escape) => ESCAPED[escape] ?? '')
  const squeezed = lines.replace(/\s/g, '')
  const undone = {
    'letters apart': joined(lines),
    'base64 twice': decodedBase64(squeezed),
    dump: `${undumped(lines)}\n${undumped(text)}`,
  }
  return Object.entries(secrets).flatMap(([name, secret]) => [
    ...Object.entries(forms).flatMap(([form, write]) =>
      write(secret).flatMap((written) => {
        const where = [text, ...(BROKEN.has(form) ? [squeezed] : [])]
        return where.flatMap((place) => leakIn(place, written, { name, form })).slice(0, 1)
      }),
    ),
    ...Object.entries(undone).flatMap(([form, place]) => leakIn(place, coreOf(secret), { name, form })),
    ...[0, 1, 2].flatMap((offset) =>
      leakIn(undone['base64 twice'], middleOf(secret, offset)[0] ?? '', { name, form: 'base64 twice' }),
    ),
  ])
}

function leakIn(place: string, written: string, leak: Omit<Leak, 'around'>): Leak[] {
  const at = place.indexOf(written)
  return at === -1 ? [] : [{ ...leak, around: place.slice(Math.max(0, at - 300), at + written.length + 60) }]
}

/** The longest part of letters, digits and signs that no encoding writes in another way. */
function coreOf(secret: string): string {
  const parts = secret.match(/[\w+-]+/g) ?? []
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}

/** Without what stands between any two letters: blanks, dashes, the zeros of UTF-16 and what is left of them. */
function joined(text: string): string {
  return text.replace(/\\u0000|\\ufffd/gi, '\0').replace(/(?<=(.))[\0\uFFFD \n-](?=.(?:[\0\uFFFD \n-]|$))/gs, '')
}

/** Every long run of base64, decoded from each place in a group. */
function decodedBase64(squeezed: string): string {
  const runs = squeezed.match(/[\w+/-]{40,}/g) ?? []
  return runs
    .flatMap((run) => [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), 'base64').toString('latin1')))
    .map((decoded) => decoded.replace(/\s/g, ''))
    .join('\n')
}

/** What the lines of xxd, hexdump and od dump, as text. */
function undumped(text: string): string {
  const hex: string[] = []
  const letters: string[] = []
  for (const line of text.split('\n')) {
    const numbers = /(?:^|")[0-9a-f]{6,8}:?\s+((?:[0-9a-f]{2}){1,4}(?: {1,2}(?:[0-9a-f]{2}){1,4}){0,15})(?:\s|$)/.exec(
      line,
    )?.[1]
    if (numbers !== undefined) hex.push(numbers.replaceAll(' ', ''))
    const fields = /(?:^|")[0-7]{7}((?: {3}\S| {2}\S\S| \S{3}| {4}){1,16})$/.exec(line)?.[1]
    if (fields !== undefined) letters.push((fields.match(/.{4}/g) ?? []).map((field) => field.trim() || ' ').join(''))
  }
  return `${Buffer.from(hex.join(''), 'hex').toString('latin1')}\n${letters.join('')}`
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Base64 of the secret behind `offset` other bytes, without the characters that depend on what stands around it. */
function middleOf(secret: string, offset: number): string[] {
  const encoded = Buffer.from(`${'x'.repeat(offset)}${secret}`)
    .toString('base64')
    .replaceAll('=', '')
  const middle = encoded.slice(offset + 1, -1)
  return [middle, middle.replaceAll('+', '-').replaceAll('/', '_')]
}

/** As `middleOf`, in groups of five bytes and eight characters. */
function middleInBase32(text: string, offset: number): string {
  let bits = ''
  for (const byte of Buffer.from(`${'x'.repeat(offset)}${text}`)) bits += byte.toString(2).padStart(8, '0')
  const groups = bits.slice(Math.ceil((offset * 8) / 5) * 5).match(/.{5}/g) ?? []
  return groups.map((group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(parseInt(group, 2))).join('')
}
