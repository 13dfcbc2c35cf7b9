/** Where in a text a secret stands, in any form that the redactor knows: written independently of it, for canary tests. */
const forms: Readonly<Record<string, (secret: string) => readonly string[]>> = {
  plain: (secret) => [secret],
  json: (secret) => [inJson(secret), inJson(inJson(secret)), inJson(inJson(inJson(secret)))],
  url: (secret) => [encodeURIComponent(secret), encodeURIComponent(secret).toLowerCase()],
  base64: (secret) => [0, 1, 2].flatMap((offset) => middleOf(secret, offset)),
  hex: (secret) => [Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('hex').toUpperCase()],
}

export interface Leak {
  readonly name: string
  readonly form: string
  /** What stands around it. */
  readonly around: string
}

/** `secrets`: name → value. Base64 and hex are found across white space too. */
export function findLeaks(text: string, secrets: Readonly<Record<string, string>>): Leak[] {
  const squeezed = text.replace(/\s|\\[nrt]/g, '')
  return Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(forms).flatMap(([form, write]) =>
      write(secret).flatMap((written) => {
        const where = [text, ...(form === 'base64' || form === 'hex' ? [squeezed] : [])]
        const found = where.find((place) => place.includes(written))
        if (found === undefined) return []
        const at = found.indexOf(written)
        return [{ name, form, around: found.slice(Math.max(0, at - 300), at + written.length + 60) }]
      }),
    ),
  )
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
