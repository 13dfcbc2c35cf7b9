/** The processes of this server, from the table that each of them beats in. */
import type { Database, Statement } from '../../../store/database.ts'
import { TIMING } from '../../../config/timing.ts'
import { builder } from '../builder.ts'
import { upTo } from '../paging/page-sizes.ts'

type Status = 'ALIVE' | 'SILENT' | 'EVICTED'

const ServerProcessStatusEnum = builder.enumType('ServerProcessStatus', {
  description: 'Whether a process takes part.',
  values: {
    ALIVE: { description: `It gave a sign of life in the last ${TIMING.silentMs / 1000} seconds.` },
    SILENT: { description: 'It did not, and is about to be evicted.' },
    EVICTED: {
      description:
        'The others count it as lost: it claims nothing, and its turns go on elsewhere once nothing of it can run.',
    },
  } as const satisfies Record<Status, { readonly description: string }>,
})

interface ServerProcess {
  readonly nodeId: number
  readonly host: string | null
  readonly version: string | null
  readonly startedAt: Date
  readonly lastBeatAt: Date
  readonly status: Status
  readonly sessions: number
  readonly runningTurns: number
}

const ServerProcessType = builder.objectRef<ServerProcess>('ServerProcess').implement({
  description: 'A process of this server. They share the database, and any of them runs any session.',
  authScopes: { admin: true },
  fields: (t) => ({
    nodeId: t.exposeInt('nodeId', {
      description: 'Its number, as in the logs; a process that was evicted and joins again has another.',
    }),
    host: t.exposeString('host', {
      nullable: true,
      description: 'The name of its machine; null: it is of an earlier version.',
    }),
    version: t.exposeString('version', { nullable: true, description: 'Of its build; null: an earlier one.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it joined.' }),
    lastBeatAt: t.expose('lastBeatAt', {
      type: 'DateTime',
      description: 'When it last gave a sign of life, which it does every two seconds.',
    }),
    status: t.expose('status', { type: ServerProcessStatusEnum, description: 'Whether it takes part.' }),
    sessions: t.exposeInt('sessions', { description: 'Sessions that it holds: no other process runs their turns.' }),
    runningTurns: t.exposeInt('runningTurns', { description: 'Turns of them that run.' }),
  }),
})

const MAX_PROCESSES = 100
const ASSUMED_PROCESSES = 2

const PROCESSES: Statement = {
  name: 'server-processes',
  text: `
    SELECT n.id AS "nodeId", n.host, n.version, n.started_at AS "startedAt", n.seen_at AS "lastBeatAt",
      CASE WHEN n.evicted_at IS NOT NULL THEN 'EVICTED'
        WHEN n.seen_at < now() - interval '${TIMING.silentMs} milliseconds' THEN 'SILENT' ELSE 'ALIVE' END AS status,
      count(s.id)::int AS sessions,
      count(*) FILTER (WHERE EXISTS (
        SELECT 1 FROM turns t WHERE t.session_id = s.id AND t.status = 'RUNNING'))::int AS "runningTurns"
    FROM nodes n LEFT JOIN sessions s ON s.owner = n.id
    GROUP BY n.id ORDER BY n.id DESC LIMIT ${MAX_PROCESSES}`,
}

function readProcesses(database: Database): Promise<ServerProcess[]> {
  return database.query<ServerProcess>(PROCESSES, [])
}

builder.queryField('nodes', (t) =>
  t.field({
    type: [ServerProcessType],
    nullable: true,
    extensions: upTo(MAX_PROCESSES, ASSUMED_PROCESSES),
    authScopes: { admin: true },
    description: `The processes of this server, the newest first; ${MAX_PROCESSES} at most. For admins.`,
    resolve: (_root, _args, { database }) => readProcesses(database),
  }),
)
