/**
 * Markdown as elements that can do no harm: no script, no style, no form, no picture from elsewhere. Loaded when the
 * first text is to be shown. Its Trusted Types policy is the only one of the console, and only DOMPurify uses it.
 */
import DOMPurify, { type Config } from 'dompurify'
import { Marked } from 'marked'

const TEXT_TAGS = 'a b br code del details em i input kbd s span strong sub summary sup'
const BLOCK_TAGS = 'blockquote h1 h2 h3 h4 h5 h6 hr li ol p pre ul table tbody td th thead tr'
/** Of a text that is parsed: what the parser does with lists grows with the square of its length, */
const MOST_CHARS = 32 * 1024
/** and with spaces with the square of theirs. */
const MANY_SPACES = ' '.repeat(1000)
/** Of what stands behind each part of a line, in one text: a word or a mark may be compared with all of it. */
const MOST_READ = 8_000_000
let read = 0

const marked = new Marked({
  gfm: true,
  // A line ends where the person, the model or the command ended it: few of them wrap their lines.
  breaks: true,
  tokenizer: {
    // The first that is asked about each part of a line. `false`: the parser's own rule says what it is.
    escape(rest) {
      read += rest.length
      if (read > MOST_READ) throw new RangeError('it takes too long')
      return false
    },
  },
  renderer: {
    // HTML is shown as it was written: nothing of it reaches the browser's parser.
    html({ text }) {
      return escaped(text)
    },
    // A picture would be a request to a host that the text names: it becomes a link.
    image({ href, text }) {
      return `<a href="${escaped(href)}">${escaped(text === '' ? href : text)}</a>`
    },
  },
})

const config: Config & { RETURN_DOM_FRAGMENT: true } = {
  RETURN_DOM_FRAGMENT: true,
  ALLOWED_TAGS: `${TEXT_TAGS} ${BLOCK_TAGS}`.split(' '),
  ALLOWED_ATTR: ['href', 'title', 'start', 'align', 'type', 'checked', 'disabled'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  // Any other value is taken for an address: columns would lose their side, and task lists their boxes.
  ADD_URI_SAFE_ATTR: ['align', 'start', 'type'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ...policy(),
}

/** Any text is taken; what is no Markdown, too long, or nested beyond what can be parsed, is shown as it is. */
export function renderMarkdown(text: string): DocumentFragment {
  const html = unlessTooMuch(text, () => marked.parse(text, { async: false }))
  if (html === null) return asWritten(text)
  const fragment = DOMPurify.sanitize(html, config)
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
  }
  for (const input of fragment.querySelectorAll('input')) {
    // Only the boxes of task lists; anything else would be a form.
    if (input.type !== 'checkbox') input.remove()
    else {
      input.disabled = true
      input.ariaLabel = input.checked ? 'done' : 'not done'
    }
  }
  for (const sided of fragment.querySelectorAll<HTMLElement>('blockquote, ol, ul')) sided.dir = 'auto'
  for (const scrollable of fragment.querySelectorAll<HTMLElement>('pre, table')) scrollable.tabIndex = 0
  return fragment
}

/** The parts of a text that stand for themselves, in order: paragraphs, lists, code, tables. */
export function blocksOf(text: string): readonly string[] {
  return unlessTooMuch(text, () => marked.lexer(text).map(({ raw }) => raw)) ?? [text]
}

/** Null: it takes too long, or the parser, which goes as deep as lists and quotes do, came to the end of its stack. */
function unlessTooMuch<Result>(text: string, parse: () => Result): Result | null {
  if (text.length > MOST_CHARS || text.includes(MANY_SPACES)) return null
  read = 0
  try {
    return parse()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function asWritten(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment()
  const paragraph = document.createElement('p')
  paragraph.className = 'markdown-raw'
  paragraph.textContent = text
  fragment.append(paragraph)
  return fragment
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

interface PolicyMaker {
  createPolicy(name: string, rules: object): NonNullable<Config['TRUSTED_TYPES_POLICY']>
}

function policy(): Pick<Config, 'TRUSTED_TYPES_POLICY'> {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: PolicyMaker }
  if (trustedTypes === undefined) return {}
  const refuse = (): never => {
    throw new TypeError('The console loads no script by address.')
  }
  return {
    TRUSTED_TYPES_POLICY: trustedTypes.createPolicy('factotum-markdown', {
      // DOMPurify parses it into a document that runs nothing, and gives back what is left of it.
      createHTML: (html: string) => html,
      createScriptURL: refuse,
    }),
  }
}
