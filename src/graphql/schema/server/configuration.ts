/** What the process that answers has made of config.toml. */
import type { GraphQLContext } from '../../context.ts'
import { builder } from '../builder.ts'
import { upTo } from '../paging/page-sizes.ts'

/** Of lines of a file that one person writes by hand. */
const MAX_LINES = 100

interface Configuration {
  readonly loadedAt: Date
  readonly isInEffect: boolean
  readonly refusedAt: Date | null
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  readonly userCount: number
  readonly tokenCount: number
  readonly providers: readonly string[]
}

const ConfigurationType = builder.objectRef<Configuration>('Configuration').implement({
  description: 'What the process that answers has made of config.toml. A file with a problem is refused whole.',
  authScopes: { admin: true },
  fields: (t) => ({
    loadedAt: t.expose('loadedAt', { type: 'DateTime', description: 'When the running configuration was taken over.' }),
    inEffect: t.exposeBoolean('isInEffect', {
      description: 'The running configuration is what the file says now; false: the file was refused.',
    }),
    refusedAt: t.expose('refusedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the file as it is now was refused; null: it was not.',
    }),
    problems: t.stringList({
      extensions: upTo(MAX_LINES),
      description: `Why it was refused: a sentence for each problem, with its line and key. The first ${MAX_LINES} of them.`,
      resolve: ({ problems }) => problems.slice(0, MAX_LINES),
    }),
    warnings: t.stringList({
      extensions: upTo(MAX_LINES),
      description: `What the running configuration does that should be changed. The first ${MAX_LINES} of them.`,
      resolve: ({ warnings }) => warnings.slice(0, MAX_LINES),
    }),
    declaredUsers: t.exposeInt('userCount', {
      description: 'Users that it declares; `users` lists all that there are.',
    }),
    declaredTokens: t.exposeInt('tokenCount', { description: 'Tokens that it declares; `tokens` lists all.' }),
    providers: t.stringList({
      extensions: upTo(MAX_LINES),
      description: `The names of the providers of models; none: the rehearsal model answers. The first ${MAX_LINES} of them.`,
      resolve: ({ providers }) => providers.slice(0, MAX_LINES),
    }),
  }),
})

function readConfiguration({ server, secrets, people }: GraphQLContext): Configuration {
  const { loadedAt, warnings, refused } = server.configReadings()
  const { users, tokens, providers } = people.live.declared()
  const hideSecrets = (text: string): string => secrets.redactLine(text)
  return {
    loadedAt,
    isInEffect: refused === null,
    refusedAt: refused?.at ?? null,
    problems: (refused?.problems ?? []).map(hideSecrets),
    warnings: warnings.map(hideSecrets),
    userCount: users.size,
    tokenCount: tokens.size,
    providers: [...providers.keys()],
  }
}

builder.queryField('configuration', (t) =>
  t.field({
    type: ConfigurationType,
    nullable: true,
    authScopes: { admin: true },
    description: 'When config.toml was taken over last, and what was wrong with it since. For admins.',
    resolve: (_root, _args, context) => readConfiguration(context),
  }),
)
