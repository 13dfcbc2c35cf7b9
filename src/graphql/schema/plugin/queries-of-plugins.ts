/** The queries for plugins, and the subscription to what becomes of them. For admins. */
import { builder } from '../builder.ts'
import { BEGINS } from '../list-update.ts'
import { fromFront } from '../paging/connection-type.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { toPage } from '../paging/page.ts'
import { selectNodes } from '../paging/select-nodes.ts'
import { matchable } from '../values/matchable.ts'
import { PluginRow } from './plugin.ts'

builder.queryField('plugins', (t) =>
  t.field({
    type: PluginRow.connection,
    nullable: true,
    authScopes: { admin: true },
    description: 'All plugins that were ever found, by name.',
    args: fromFront(t),
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

PluginRow.updates('pluginUpdates', {
  authScopes: { admin: true },
  description: `Plugins, when one is found, changed, or does otherwise; at most four times a second each. ${BEGINS}`,
  follow: ({ rowNotifier }) => rowNotifier.follow('plugin'),
})
