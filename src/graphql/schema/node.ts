/** What `node(id:)` can return: everything that has an id. */
import { builder } from './builder.ts'

/** Rows are branded with their type by the resolver of `node`. */
export const NodeInterface = builder.interfaceRef<{ id: string }>('Node').implement({
  description: 'A thing with an id that is unique among all things, so that clients can cache and refetch it.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description:
        'A session has the id its client chose ("cli:demo"); all others a prefix that tells the kind ("msg_…", "task_…").',
    }),
  }),
})
