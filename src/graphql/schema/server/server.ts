/** The server itself: what it runs on and how busy it is. */
import { seesAllSessions } from '../../../config/access/session-access.ts'
import type { Viewer } from '../../../core/identity.ts'
import { AGENT_ROLES } from '../../../core/model-call.ts'
import type { SandboxState } from '../../../execution/command.ts'
import type { Database, Statement } from '../../../store/database.ts'
import { must } from '../../../platform/must.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { ALL_STORED, upTo } from '../paging/page-sizes.ts'
import type { GraphQLContext } from '../../context.ts'
import { PollChanges } from '../../live/poll-changes.ts'
import type { ServerInfo } from './server-info.ts'
import type { ModelFailure } from '../../../model/model-failures.ts'

interface RoleModel {
  readonly role: string
  readonly provider: string
  readonly model: string
}

const RoleModelType = builder.objectRef<RoleModel>('RoleModel').implement({
  description: 'Which model plays an agent role.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    role: t.exposeString('role', {
      description: `${AGENT_ROLES.map((role) => `"${role}"`).join(', ')}, or "embedder", where one is set.`,
    }),
    provider: t.exposeString('provider', {
      description: 'The name under [providers] in the configuration, or "rehearsal".',
    }),
    model: t.exposeString('model', { description: 'The model as the provider calls it.' }),
  }),
})

const SandboxType = builder.objectRef<SandboxState>('Sandbox').implement({
  description:
    'The sandbox in which commands of users (not admins) run. Without a working one these commands do not run at all.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    available: t.exposeBoolean('available', { description: 'Whether it works.' }),
    reason: t.string({
      nullable: true,
      description: 'Why it does not work, for admins; null when it does.',
      resolve: (sandbox, _args, { viewer }) => (sandbox.available || viewer.role !== 'ADMIN' ? null : sandbox.reason),
    }),
    fix: t.string({
      nullable: true,
      description: 'What to do about it, for admins; null when it works.',
      resolve: (sandbox, _args, { viewer }) => (sandbox.available || viewer.role !== 'ADMIN' ? null : sandbox.fix),
    }),
  }),
})

const MAX_FAILURES = 20

interface ServerState {
  readonly info: ServerInfo
  readonly load: Load
}

interface Load {
  readonly nodes: number
  readonly queuedTurns: number
  readonly runningTurns: number
}

const ServerType = builder.objectRef<ServerState>('Server').implement({
  description: 'The server: what it runs on and how busy it is.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    version: t.string({ description: 'Its version.', resolve: ({ info }) => info.version }),
    startedAt: t.field({
      type: 'DateTime',
      description: 'When the process that answers was started.',
      resolve: ({ info }) => info.startedAt,
    }),
    database: t.string({
      description: 'Its database, such as "PostgreSQL 18.1 (embedded)".',
      resolve: ({ info }) => info.database,
    }),
    models: t.field({
      type: [RoleModelType],
      extensions: ALL_STORED,
      description: 'Which model plays which agent role.',
      resolve: (_server, _args, context): RoleModel[] => {
        const { models, embedder } = context.config.current()
        const all = embedder === null ? models : { ...models, embedder }
        return Object.entries(all).map(([role, choice]) => ({ role, ...choice }))
      },
    }),
    rehearsal: t.boolean({
      description: 'No provider is configured: the built-in rehearsal model answers, which is no language model.',
      resolve: (_server, _args, context) => context.config.current().providers.size === 0,
    }),
    modelFailures: t.field({
      type: [ModelFailureType],
      extensions: upTo(MAX_FAILURES),
      nullable: true,
      authScopes: { admin: true },
      description:
        'The models whose last call failed, the newest first: each until it answers again. As the process that answers ' +
        `has seen it; the first ${MAX_FAILURES}. For admins.`,
      resolve: ({ info }) => info.modelFailures().slice(0, MAX_FAILURES),
    }),
    paused: t.boolean({
      description:
        'It was started with --paused: messages are taken, but no turn, schedule, job, delivery or plugin moves. Start it ' +
        'without, and all goes on.',
      resolve: ({ info }) => info.isPaused,
    }),
    sandbox: t.field({
      type: SandboxType,
      description: 'The sandbox for commands of users.',
      resolve: ({ info }) => info.sandboxState(),
    }),
    nodes: t.int({
      description: 'Processes that share the database and gave a sign of life in the last 10 seconds.',
      resolve: ({ load }) => load.nodes,
    }),
    queuedTurns: t.int({
      description: 'Turns that wait, in the sessions that you may see.',
      resolve: ({ load }) => load.queuedTurns,
    }),
    runningTurns: t.int({
      description: 'Turns that run, on whatever node, in the sessions that you may see.',
      resolve: ({ load }) => load.runningTurns,
    }),
  }),
})

async function readState({ server, database, viewer }: GraphQLContext): Promise<ServerState> {
  return { info: server, load: await readLoad(database, viewer) }
}

builder.queryField('server', (t) =>
  t.field({
    type: ServerType,
    authScopes: AUTHENTICATED,
    description: 'The server: version, database, models, sandbox, and how busy it is.',
    resolve: (_root, _args, context) => readState(context),
  }),
)

builder.subscriptionField('serverUpdates', (t) =>
  t.field({
    type: ServerType,
    authScopes: AUTHENTICATED,
    description:
      'The server as it is now, and again whenever something of it has changed, polled every two seconds. Nothing is ' +
      'to be read besides: each update is whole.',
    subscribe: (_root, _args, context) =>
      new PollChanges({
        read: () => readState(context),
        keyOf: ({ info, load }) => {
          const { models, embedder, providers } = context.config.current()
          const failures = context.viewer.role === 'ADMIN' ? info.modelFailures() : []
          return JSON.stringify([load, info.sandboxState(), models, embedder, [...providers.keys()], failures])
        },
        clock: context.clock,
      }),
    resolve: (state) => state,
  }),
)

const LOAD: Statement = {
  name: 'server-load',
  text: `
    SELECT
      (SELECT count(*)::int FROM nodes WHERE evicted_at IS NULL AND seen_at > now() - interval '10 seconds') AS nodes,
      count(*) FILTER (WHERE status = 'QUEUED')::int AS queued,
      count(*) FILTER (WHERE status = 'RUNNING')::int AS running
    FROM turns t WHERE status IN ('QUEUED', 'RUNNING') AND ($1::text IS NULL OR starts_with(session_id, $1))
      AND ($2::boolean OR EXISTS (SELECT 1 FROM participants p WHERE p.session_id = t.session_id AND p.user_name = $3))`,
}

/** Counts only turns of sessions that the viewer may see: activity in other sessions must not leak. */
async function readLoad(database: Database, viewer: Viewer): Promise<Load> {
  const prefix = viewer.namespace === null ? null : `${viewer.namespace}:`
  const values = [prefix, seesAllSessions(viewer), viewer.user?.name ?? null]
  const [row] = await database.query<{ nodes: number; queued: number; running: number }>(LOAD, values)
  const { nodes, queued, running } = must(row, 'an aggregate has a row')
  return { nodes, queuedTurns: queued, runningTurns: running }
}

/**
 * What a model failed with last, as admins see it.
 */
const ModelFailureType = builder.objectRef<ModelFailure>('ModelFailure').implement({
  description: 'What the last call of a model failed with.',
  authScopes: { admin: true },
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'The name under [providers] in the configuration.' }),
    model: t.exposeString('model', { description: 'The model as the provider calls it.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    code: t.exposeString('code', { description: 'The code of the error, such as "MODEL_UNREACHABLE".' }),
    problem: t.string({
      description: 'What happened, and what to change. Without secrets.',
      resolve: ({ message }, _args, { secrets }) => secrets.redactLine(message),
    }),
  }),
})
