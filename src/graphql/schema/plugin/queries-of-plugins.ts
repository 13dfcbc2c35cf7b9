/** The queries for plugins, and the subscription to what becomes of them. For admins. */
import { builder } from '../builder.ts'
import { BEGINS, ENTRY, listUpdate } from '../list-update.ts'
import { PAGING } from '../paging/connection-type.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { selectNodes } from '../paging/select-nodes.ts'
import { matchable } from '../values/matchable.ts'
import { PluginConnection, visiblePlugin } from './plugin.ts'

builder.queryField('plugins', (t) =>
  t.field({
    type: PluginConnection,
    nullable: true,
    authScopes: { admin: true },
    description: 'All plugins that were ever found, by name.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
    },
    resolve: async (_root, args, context, info) => {
      const request = readPageRequest('plugins1', args, info)
      const { plugin } = context.database.prisma
      const rows = await plugin.findMany({
        ...selectNodes({ context, info }, 'Plugin', { id: true, name: true }),
        where: request.after === null ? {} : { name: { gt: request.after[0] } },
        orderBy: { name: 'asc' },
        take: request.size + 1,
      })
      const placed = rows.map((node) => ({ node, position: [node.name] as [string] }))
      return toPage('plugins1', request, placed)
    },
  }),
)

builder.queryField('plugin', (t) =>
  t.prismaField({
    type: 'Plugin',
    nullable: true,
    authScopes: { admin: true },
    description: 'The plugin of this name; null when there has never been one.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }) },
    resolve: (query, _root, { name }, { database }) =>
      database.prisma.plugin.findFirst({ ...query, where: { name: matchable(name) } }),
  }),
)

const PluginUpdate = listUpdate('Plugin', { admin: true })
builder.objectField(PluginUpdate, 'plugin', (t) =>
  t.prismaField({
    type: 'Plugin',
    nullable: true,
    description: ENTRY,
    resolve: (query, { id }, _args, { database, viewer }) =>
      id === null ? null : database.prisma.plugin.findFirst({ ...query, where: visiblePlugin(viewer, id) }),
  }),
)

builder.subscriptionField('pluginUpdates', (t) =>
  t.field({
    type: PluginUpdate,
    authScopes: { admin: true },
    description: `Plugins, when one is found, changed, or does otherwise; at most four times a second each. ${BEGINS}`,
    subscribe: (_root, _args, context) => context.rowNotifier.follow('plugin'),
    resolve: (change) => change,
  }),
)
