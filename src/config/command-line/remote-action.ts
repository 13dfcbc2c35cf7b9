/**
 * The commands that talk to a server, here or elsewhere, through its API (src/remote carries them out). Pure.
 */
import { Option, type Command } from 'commander'
import { checked, checkedDay, withHome, type Found } from './command-options.ts'
import { sessionIdValue } from './session-action.ts'
import { tokenKindValue } from './token-action.ts'

export type RemoteAction =
  /** `sessionId` null: a session of one's own that is always the same. */
  | { readonly do: 'chat'; readonly sessionId: string | null }
  /** `content` null: from standard input. `sessionId` null: a new session. */
  | { readonly do: 'ask'; readonly content: string | null; readonly sessionId: string | null; readonly json: boolean }
  | { readonly do: 'sessions'; readonly search: string | null; readonly all: boolean; readonly json: boolean }
  | { readonly do: 'search'; readonly search: string; readonly json: boolean }
  /** `after` null: only what happens from now on. */
  | { readonly do: 'tail'; readonly sessionId: string; readonly after: number | null; readonly json: boolean }
  | ApproveAction
  | { readonly do: 'facts'; readonly search: string | null; readonly json: boolean }
  | { readonly do: 'fact-add'; readonly content: string }
  | { readonly do: 'fact-remove'; readonly id: string }
  | { readonly do: 'learnings'; readonly json: boolean }
  | { readonly do: 'learnings-review' }
  | { readonly do: 'users'; readonly json: boolean }
  | { readonly do: 'user-add'; readonly name: string; readonly role: 'ADMIN' | 'USER' }
  | { readonly do: 'user-remove'; readonly name: string }
  | { readonly do: 'tokens'; readonly json: boolean }
  | TokenAddAction
  | { readonly do: 'token-revoke'; readonly name: string }
  | { readonly do: 'secrets'; readonly json: boolean }
  | UsageAction

export const USAGE_KEYS = ['day', 'model', 'provider', 'role', 'session', 'user'] as const

/** Days (UTC), the last one included; null: from the begin of this month, until now. */
export interface UsageAction {
  readonly do: 'usage'
  readonly by: (typeof USAGE_KEYS)[number]
  readonly from: string | null
  readonly to: string | null
  readonly as: 'table' | 'json' | 'csv'
}

/** `expires`: a day (UTC) from whose begin on it is refused; null: never. */
interface TokenAddAction {
  readonly do: 'token-add'
  readonly name: string
  readonly user: string | null
  readonly namespace: string | null
  readonly expires: string | null
}

/** `id` null: shows what waits, and asks where a person is there. */
export interface ApproveAction {
  readonly do: 'approve'
  readonly id: string | null
  readonly approve: boolean
  readonly forSession: boolean
  readonly note: string | null
}

/** Which server; the token comes from the environment alone, because others can read a command line. */
export interface RemoteFlags {
  readonly url?: string
  readonly home?: string
}

interface Json extends RemoteFlags {
  readonly json?: true
}

export function declareRemote(program: Command, found: Found<RemoteAction, RemoteFlags>): void {
  declareTalk(program, found)
  declareApprove(program, found)
  declareKnowledge(program, found)
  declarePeople(program, found)
  declareUsage(program, found)
}

function declareTalk(program: Command, found: Found<RemoteAction, RemoteFlags>): void {
  withServer(program.command('chat'))
    .description(
      'Talks with the agent: what was said, then everything as it happens; approvals are decided in place, /stop cancels the turn, /help lists the rest. With input from a pipe, each line is a message. Without a session, one of your own that is always the same.',
    )
    .argument('[session]', 'the id of a session', sessionIdValue)
    .action((sessionId: string | undefined, flags: RemoteFlags) =>
      found({ do: 'chat', sessionId: sessionId ?? null }, flags),
    )
  withJson(withServer(program.command('ask')))
    .description(
      'Sends one message, in a new session unless --session names one, and prints the answer; without words, or with -, the message is read from standard input. Exit code: 0 answered, 1 failed, cancelled or refused, 3 it waits for an approval that nobody here can give, 130 interrupted, while the turn goes on.',
    )
    .argument('[words...]', 'the message')
    .option('--session <id>', 'The session to ask in.', sessionIdValue)
    .action((words: readonly string[], { session, json, ...flags }: Json & { session?: string }) => {
      const content = words.length === 0 || words.join(' ') === '-' ? null : words.join(' ')
      found({ do: 'ask', content, sessionId: session ?? null, json: json === true }, flags)
    })
  withJson(withServer(program.command('sessions')))
    .description('Lists the sessions that you may see, newest activity first.')
    .option('--search <text>', 'Only those whose description has this text.')
    .option('--all', 'Also those that are INACTIVE.')
    .action(({ search, all, json, ...flags }: Json & { search?: string; all?: true }) =>
      found({ do: 'sessions', search: search ?? null, all: all === true, json: json === true }, flags),
    )
  withJson(withServer(program.command('search')))
    .description('Finds what was said in the sessions that you may see, newest first, in all that there is.')
    .argument('<words...>', 'what to search for')
    .action((words: readonly string[], { json, ...flags }: Json) =>
      found({ do: 'search', search: words.join(' '), json: json === true }, flags),
    )
  withJson(withServer(program.command('tail')))
    .description(
      'Follows the log of a session until it is interrupted, across dropped connections. --after 0 begins with its first event.',
    )
    .argument('<session>', 'the id of a session', sessionIdValue)
    .option(
      '--after <seq>',
      'Begins behind this event.',
      checked((seq) => (/^\d{1,15}$/.test(seq) ? null : `--after must be the seq of an event; it is "${seq}".`)),
    )
    .action((sessionId: string, { after, json, ...flags }: Json & { after?: string }) =>
      found({ do: 'tail', sessionId, after: after === undefined ? null : Number(after), json: json === true }, flags),
    )
}

interface ApproveFlags extends RemoteFlags {
  readonly deny?: true
  readonly session?: true
  readonly note?: string
}

function declareApprove(program: Command, found: Found<RemoteAction, RemoteFlags>): void {
  withServer(program.command('approve'))
    .description('Decides about what waits for an approval; without an id, shows all that waits, and asks.')
    .argument('[id]', 'the id of an approval')
    .option('--deny', 'It may not run.')
    .option('--session', 'Also for what is alike in this session.')
    .option('--note <text>', 'For the planner and for people.')
    .action((id: string | undefined, { deny, session, note, ...flags }: ApproveFlags) => {
      const decision = { approve: deny !== true, forSession: session === true, note: note ?? null }
      found({ do: 'approve', id: id ?? null, ...decision }, flags)
    })
}

function declareKnowledge(program: Command, found: Found<RemoteAction, RemoteFlags>): void {
  const facts = program.command('facts').description('Lists, adds and removes facts. For admins.')
  withJson(withServer(facts.command('list', { isDefault: true })))
    .description('Lists the facts in use, newest first; with words, those that have them.')
    .argument('[words...]', 'what to search for')
    .action((words: readonly string[], { json, ...flags }: Json) =>
      found({ do: 'facts', search: words.length === 0 ? null : words.join(' '), json: json === true }, flags),
    )
  withServer(facts.command('add'))
    .description('Makes a fact, which every session may rely on.')
    .argument('<words...>', 'what it says')
    .action((words: readonly string[], flags: RemoteFlags) =>
      found({ do: 'fact-add', content: words.join(' ') }, flags),
    )
  withServer(facts.command('remove'))
    .description('Takes a fact out of use; its history stays.')
    .argument('<id>', 'the id of a fact')
    .action((id: string, flags: RemoteFlags) => found({ do: 'fact-remove', id }, flags))
  const learnings = program.command('learnings').description('What was learned and is not decided yet. For admins.')
  withJson(withServer(learnings.command('list', { isDefault: true })))
    .description('Lists what was learned and is not decided yet.')
    .action(({ json, ...flags }: Json) => found({ do: 'learnings', json: json === true }, flags))
  withServer(learnings.command('review'))
    .description('Shows one learning after the other, and asks whether it becomes a fact.')
    .action((flags: RemoteFlags) => found({ do: 'learnings-review' }, flags))
  withJson(withServer(program.command('secrets').description('Deploy secrets. For admins.').command('list')))
    .description('Lists the deploy secrets by name, where they are set and what asks for them; never their values.')
    .action(({ json, ...flags }: Json) => found({ do: 'secrets', json: json === true }, flags))
}

function declarePeople(program: Command, found: Found<RemoteAction, RemoteFlags>): void {
  const users = program.command('users').description('Lists, adds and removes users. For admins.')
  withJson(withServer(users.command('list', { isDefault: true })))
    .description('Lists all users.')
    .action(({ json, ...flags }: Json) => found({ do: 'users', json: json === true }, flags))
  withServer(users.command('add'))
    .description('Adds a user, without touching config.toml.')
    .argument('<name>', 'the name of the user')
    .addOption(new Option('--role <role>', 'What they may do.').choices(['user', 'admin']).default('user'))
    .action((name: string, { role, ...flags }: RemoteFlags & { role: string }) =>
      found({ do: 'user-add', name, role: role === 'admin' ? 'ADMIN' : 'USER' }, flags),
    )
  withServer(users.command('remove'))
    .description('Removes a user and revokes their tokens.')
    .argument('<name>', 'the name of a user')
    .action((name: string, flags: RemoteFlags) => found({ do: 'user-remove', name }, flags))
  declareTokens(program, found)
}

interface TokenFlags extends RemoteFlags {
  readonly user?: string
  readonly kind?: 'user' | 'connector'
  readonly namespace?: string
  readonly expires?: string
}

function declareTokens(program: Command, found: Found<RemoteAction, RemoteFlags>): void {
  const tokens = program.command('tokens').description('Lists, adds and revokes tokens. For admins.')
  withJson(withServer(tokens.command('list', { isDefault: true })))
    .description('Lists all tokens, with when they were last used; never what they are.')
    .action(({ json, ...flags }: Json) => found({ do: 'tokens', json: json === true }, flags))
  withServer(tokens.command('add'))
    .description('Makes a token and shows it, once, without touching config.toml.')
    .argument('<name>', 'a name for the token')
    .option('--user <user>', 'Whom it acts for.')
    .option('--kind <kind>', '"user" or "connector".', tokenKindValue)
    .option('--namespace <name>', 'Of a connector: the sessions that it may touch.')
    .option('--expires <day>', 'From the begin of this day (UTC) on it is refused.', checkedDay('--expires'))
    .action((name: string, options: TokenFlags, command: Command) => {
      const { user = null, kind = 'user', namespace = null, expires = null, ...flags } = options
      if ((kind === 'user') !== (user !== null)) command.error('A token needs either --user or --kind connector.')
      found({ do: 'token-add', name, user, namespace, expires }, flags)
    })
  withServer(tokens.command('revoke'))
    .description('Revokes a token; what it has open ends within a second.')
    .argument('<name>', 'the name of a token')
    .action((name: string, flags: RemoteFlags) => found({ do: 'token-revoke', name }, flags))
}

interface UsageFlags extends Json {
  readonly by: UsageAction['by']
  readonly from?: string
  readonly to?: string
  readonly csv?: true
}

function declareUsage(program: Command, found: Found<RemoteAction, RemoteFlags>): void {
  withJson(withServer(program.command('usage')))
    .description(
      'What model calls cost, this month unless --from and --to say otherwise, the dearest first. Days are those of UTC. For admins.',
    )
    .addOption(new Option('--by <what>', 'What is summed up.').choices(USAGE_KEYS).default('model'))
    .option('--from <day>', 'The first day.', checkedDay('--from'))
    .option('--to <day>', 'The last day.', checkedDay('--to'))
    .option('--csv', 'Prints CSV for a spreadsheet.')
    .action((options: UsageFlags, command: Command) => {
      const { by, json, csv, from, to, ...flags } = options
      if (json === true && csv === true) command.error('Either --json or --csv.')
      if (from === undefined && to !== undefined) command.error('--to needs --from.')
      const as = json === true ? 'json' : csv === true ? 'csv' : 'table'
      found({ do: 'usage', by, from: from ?? null, to: to ?? null, as }, flags)
    })
}

function withServer(command: Command): Command {
  return withHome(command.option('--url <address>', 'The server. Overrules FACTOTUM_URL.'))
}

function withJson(command: Command): Command {
  return command.option('--json', 'Prints JSON.')
}
