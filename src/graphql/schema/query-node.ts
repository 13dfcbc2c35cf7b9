/** `node(id:)`: anything by its id. The id's prefix tells the kind; an id without one can only be a session's. */
import { AUTHENTICATED } from './access.ts'
import { builder } from './builder.ts'
import { NodeInterface } from './node.ts'
import { findNode } from './row.ts'
import { auditIfAbsent } from './audit-if-absent.ts'

builder.queryField('node', (t) =>
  t.field({
    type: NodeInterface,
    nullable: true,
    authScopes: AUTHENTICATED,
    description: 'Anything by its id. Null when there is none that you may see.',
    args: { id: t.arg.id({ required: true, description: 'Its id, as every field "id" returns it.' }) },
    resolve: (_root, { id }, context, info) => auditIfAbsent(findNode(id, context, info), { id, context, info }),
  }),
)
