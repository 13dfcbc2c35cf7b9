/** A plugin, as admins see it: what it is, how it is set, and how it does. */
import type { Viewer } from '../../../core/identity.ts'
import type { PluginOrigin, PluginStatus } from '../../../core/status.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import { builder } from '../builder.ts'
import { NodeInterface } from '../node.ts'
import { connectionType } from '../paging/connection-type.ts'
import { row } from '../row.ts'
import { matchable } from '../values/matchable.ts'

const PluginStatusEnum = builder.enumType('PluginStatus', {
  description: 'How a plugin does.',
  values: {
    STARTING: { description: 'It is loaded or started, or waits for its next start.' },
    READY: { description: 'It takes part in turns.' },
    DEGRADED: {
      description:
        'Five failures within 15 minutes. Each further one ends it; it is started again after a pause that grows.',
    },
    FAILED: {
      description:
        'It cannot be loaded, or its settings are refused; lastError says why. Nothing is tried until it is changed or restarted.',
    },
    DISABLED: { description: 'It is not enabled, and does not run.' },
    MISSING: { description: 'Its folder is gone. Its settings stay, in case it comes back.' },
  } as const satisfies Record<PluginStatus, { readonly description: string }>,
})

const PluginOriginEnum = builder.enumType('PluginOrigin', {
  description: 'Where a plugin comes from.',
  values: {
    BUILT_IN: { description: 'With Factotum.' },
    FOLDER: { description: 'A folder in FACTOTUM_HOME/plugins.' },
    PACKAGE: { description: 'An npm package that config.toml names.' },
  } as const satisfies Record<PluginOrigin, { readonly description: string }>,
})

export const PluginType = builder.prismaObject('Plugin', {
  description:
    'Code that takes part in turns: a folder in FACTOTUM_HOME/plugins, or one that is built in. It is off until an admin enables it.',
  authScopes: { admin: true },
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "plugin_", and follows from the name.' }),
    name: t.exposeString('name', { description: 'Its name, and that of its folder.' }),
    release: t.exposeString('version', {
      description: 'The plugin\'s own version, as it says; "?": it was never read.',
    }),
    origin: t.expose('origin', { type: PluginOriginEnum, description: 'Where it comes from.' }),
    title: t.exposeString('title', { description: 'Its name for people, by its author.' }),
    description: t.exposeString('description', { description: 'What it does, by its author.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether it is to run.' }),
    position: t.exposeInt('position', {
      description: 'Hooks of plugins run one after another in this order, lowest first, then by name.',
    }),
    settings: t.expose('settings', {
      type: 'JSON',
      description:
        'As an admin has set them; what is left out has its default. Of secrets, the names of deploy secrets.',
    }),
    status: t.expose('status', {
      type: PluginStatusEnum,
      description: 'How it does; of several processes, in the one where that changed last.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'What last went wrong, in one line; null: nothing since it was started.',
    }),
    lastErrorAt: t.expose('lastErrorAt', { type: 'DateTime', nullable: true, description: 'When that was.' }),
    calls: t.field({
      type: 'Count',
      description: 'How often it was called, in all processes; some seconds late.',
      select: { calls: true },
      resolve: ({ calls }) => Number(calls),
    }),
    failures: t.field({
      type: 'Count',
      description: 'Of these calls, those that threw, were late or answered nonsense.',
      select: { failures: true },
      resolve: ({ failures }) => Number(failures),
    }),
    crashes: t.field({
      type: 'Count',
      description: 'How often it ended without being stopped, or had to be ended.',
      select: { crashes: true },
      resolve: ({ crashes }) => Number(crashes),
    }),
    eventsLeftOut: t.field({
      type: 'Count',
      description: 'How many events onBroadcast was not given, because too many waited or it was not running.',
      select: { eventsLeftOut: true },
      resolve: ({ eventsLeftOut }) => Number(eventsLeftOut),
    }),
    version: t.exposeInt('revision', { description: 'Of the row: counts the changes by admins. For updatePlugin.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first found.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When an admin last changed or restarted it.' }),
  }),
})

/** Admins see all of them, others none. */
export function visiblePlugin({ role }: Viewer, id: string): Prisma.PluginWhereInput {
  return { AND: [{ id: matchable(id) }, role === 'ADMIN' ? {} : { id: '' }] }
}

export const PluginRow = row('Plugin', {
  kind: 'plugin',
  table: (prisma) => prisma.plugin,
  visible: ({ viewer }, id) => visiblePlugin(viewer, id),
  connection: connectionType(PluginType, 'by name'),
})
