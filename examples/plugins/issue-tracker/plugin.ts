/**
 * Finds, reads and files issues of a tracker over HTTP. `stand-in.ts` beside it is such a tracker. What this shows: a
 * key that is a deploy secret, a call that ends with its signal, answers that are checked and bounded, and a call that
 * writes and is sent once, also when it is repeated.
 */
import { definePlugin, secret, z, type PluginContext } from 'factotum/plugin'

const issue = z.object({ id: z.int(), title: z.string(), text: z.string(), open: z.boolean() })
const MAX_ANSWER_BYTES = 256 * 1024
const MAX_LISTED = 20

interface Settings {
  readonly url: string
  /** The name of the deploy secret. */
  readonly token: string
}

interface Sent {
  readonly method?: 'GET' | 'POST'
  readonly body?: object
  /** The tracker takes a request with a key that it has seen for that one. */
  readonly key?: string
}

/** What it throws is shown to the model, so it says what to change, and never the key. */
async function ask(
  ctx: PluginContext<Settings>,
  path: string,
  { method = 'GET', body, key }: Sent = {},
): Promise<unknown> {
  const token = ctx.secret('token')
  if (token === null) throw new Error(`The tracker has no key: set ${ctx.settings.token} in .env.`)
  const url = new URL(path, ctx.settings.url)
  const response = await fetch(url, {
    method,
    signal: ctx.signal,
    redirect: 'error',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new Error(`The tracker at ${url.origin} cannot be reached.`, { cause: error })
  })
  const text = await readText(response)
  if (!response.ok) throw new Error(`The tracker answered ${response.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`The tracker answered with more than ${MAX_ANSWER_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function line({ id, title, open }: z.output<typeof issue>): string {
  return `#${id} ${open ? 'open' : 'closed'}: ${title}`
}

async function file(
  ctx: PluginContext<Settings>,
  wanted: { title: string; text: string },
  key: string,
): Promise<string> {
  const made = issue.parse(await ask(ctx, 'issues', { method: 'POST', body: wanted, key }))
  return `Filed as #${made.id}.`
}

export default definePlugin({
  name: 'issue-tracker',
  version: '1.0.0',
  api: 1,
  title: 'Issue tracker',
  description: 'Finds, reads and files issues.',
  settings: z.object({
    url: z
      .url()
      .default('http://127.0.0.1:4100/')
      .meta({ description: 'Where the tracker answers, with a "/" at its end.' }),
    token: secret('The key of the tracker.').default('TRACKER_TOKEN'),
  }),
  tools: {
    find: {
      description: `Finds issues whose title or text holds some words; at most ${MAX_LISTED}, newest first.`,
      effect: 'READ',
      arguments: z.object({ words: z.string().max(200).default(''), open: z.boolean().default(true) }),
      async run({ words, open }, ctx) {
        const query = new URLSearchParams({ words, open: String(open) })
        const found = z.array(issue).parse(await ask(ctx, `issues?${query}`))
        return found.length === 0 ? 'None.' : found.slice(0, MAX_LISTED).map(line).join('\n')
      },
    },
    read: {
      description: 'Reads one issue.',
      effect: 'READ',
      arguments: z.object({ id: z.int().min(1) }),
      async run({ id }, ctx) {
        const found = issue.parse(await ask(ctx, `issues/${id}`))
        return `${line(found)}\n\n${found.text}`
      },
    },
    file: {
      description: 'Files a new issue.',
      effect: 'WRITE',
      arguments: z.object({ title: z.string().min(1).max(200), text: z.string().max(10_000).default('') }),
      run: (wanted, ctx) => file(ctx, wanted, ctx.call.taskId),
    },
  },
  commands: {
    issue: {
      description: 'Files an issue with this title.',
      async run({ args, turnId }, ctx) {
        const title = args.trim()
        return title === '' ? 'Say what it is about: /issue <title>' : file(ctx, { title, text: '' }, turnId)
      },
    },
  },
  // A wrong address or key is found now, and not in the middle of a turn.
  start: async (ctx) => void (await ask(ctx, 'issues?words=&open=true')),
})
