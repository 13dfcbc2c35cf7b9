/**
 * Texts of models, programs and people, as a terminal may be given them: escape sequences, text that runs backwards and
 * what hides in a text are shown instead of obeyed.
 */
export function harmless(text: string): string {
  return text.replaceAll(CONTROL, '\uFFFD')
}

/** The same for every text in a value. */
export function harmlessly<Value>(value: Value): Value {
  const clean = (_key: string, part: unknown): unknown => (typeof part === 'string' ? harmless(part) : part)
  return JSON.parse(JSON.stringify(value), clean) as Value
}

/**
 * The same of what runs, where nothing at all may hide: "backup" with a soft hyphen in it is another name, and a shell
 * parts no words at a space that is not the usual one.
 */
export function harmlessCode(text: string): string {
  return harmless(text).replaceAll(UNSEEN, '\uFFFD')
}

/** What a joiner or a form may follow: letters that are not Latin ones of ASCII, and pictures. */
const JOINED = String.raw`[[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]--[\0-\x7f]]`
/** A joiner that joins nothing. */
export const LOOSE_JOINER = new RegExp(String.raw`(?<!${JOINED})[\u200C\u200D]`, 'gv')

/**
 * Control characters (escape sequences begin with one, and a carriage return alone overwrites its line) but tabs and
 * ends of lines; and what is not seen, or sets a direction, but what joins the parts of emoji and flags and the letters
 * of Persian and of the languages of India, or marks the direction of one word.
 */
const CONTROL = new RegExp(
  String.raw`(?![\t\n]|\r\n)\p{Cc}|${LOOSE_JOINER.source}|(?<![\u{1F3F4}\u{E0020}-\u{E007E}])[\u{E0020}-\u{E007F}]` +
    String.raw`|(?![\u00AD\u200C-\u200F\u{E0020}-\u{E007F}])\p{Cf}`,
  'gv',
)

const UNSEEN = new RegExp(
  String.raw`(?![\u200C\u200D\uFE0E\uFE0F\u{E0020}-\u{E007F}])\p{Default_Ignorable_Code_Point}|\u2800` +
    String.raw`|(?<!${JOINED})[\uFE0E\uFE0F](?!\u20E3)|(?<=[\0-\x7f])\u3000|(?![ \u3000])\p{Z}`,
  'gv',
)
