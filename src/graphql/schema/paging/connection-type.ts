/**
 * The Relay connection types: PageInfo, and for each list an edge and a connection
 * (https://relay.dev/graphql/connections.htm).
 */
import type { ArgBuilder, InterfaceRef, ObjectRef, UnionRef } from '@pothos/core'
import { AUTHENTICATED } from '../access.ts'
import { builder, type BuilderTypes } from '../builder.ts'
import type { Edge, Page, PageInfo } from './page.ts'
import type { Paged } from '../../operation/paged.ts'
import { CONNECTION_PAGE, describeFirst } from './page-sizes.ts'

const PageInfoType = builder.objectRef<PageInfo>('PageInfo').implement({
  description: 'Where a page stands in its list.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether the list goes on behind this page.' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'Whether the list has something before this page.',
    }),
    startCursor: t.exposeString('startCursor', {
      nullable: true,
      description: 'Cursor of the first edge: pass it as "before". Null when the page is empty.',
    }),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description:
        'Cursor of the last edge, or of where a search has ended: pass it as "after". Null when the page is empty, and no search goes on.',
    }),
  }),
})

/** What is loaded of a node at least; Prisma adds the columns that the document selects. */
export interface Row {
  readonly id: string
}

/** Defines `<name>Edge` and `<name>Connection` over the rows `node`; `order` says how the list is sorted. */
export function connectionType<Shape extends Page<Row> = Page<Row>>(
  node: ObjectRef<BuilderTypes, Row> | InterfaceRef<BuilderTypes, Row>,
  order: string,
): ObjectRef<BuilderTypes, Shape> {
  return connectionOf<Row, Shape>(node, { name: node.name, order })
}

/** The same over whatever a list holds; `paged` is how long its pages are, which is their cost, too. */
export function connectionOf<Node extends object, Shape extends Page<Node> = Page<Node>>(
  node: ObjectRef<BuilderTypes, Node> | InterfaceRef<BuilderTypes, Node> | UnionRef<BuilderTypes, Node>,
  { name, order, paged = CONNECTION_PAGE }: { readonly name: string; readonly order: string; readonly paged?: Paged },
): ObjectRef<BuilderTypes, Shape> {
  const EdgeType = builder.objectRef<Edge<Node>>(`${name}Edge`).implement({
    description: `One ${node.name} of a list, and where it stands there.`,
    authScopes: AUTHENTICATED,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'The place in the list: opaque, good as "after" and "before" of the same list.',
      }),
      node: t.field({ type: node, description: `The ${node.name}.`, resolve: (edge) => edge.node as never }),
    }),
  })
  return builder.objectRef<Shape>(`${name}Connection`).implement({
    description: `A page of a list of ${node.name}, ${order}.`,
    authScopes: AUTHENTICATED,
    extensions: { paged },
    fields: (t) => ({
      edges: t.field({ type: [EdgeType], description: 'The entries of the page.', resolve: (page) => [...page.edges] }),
      pageInfo: t.field({
        type: PageInfoType,
        description: 'Where the page stands in the list.',
        resolve: (page) => page.pageInfo,
      }),
    }),
  })
}

/** The arguments of a list that is read from its front. */
export function fromFront({ arg }: { readonly arg: ArgBuilder<BuilderTypes> }) {
  return {
    first: arg.int({ description: describeFirst(CONNECTION_PAGE) }),
    after: arg.string({ description: 'Only what stands behind this cursor.' }),
  }
}

/** The arguments of a list that is read from either end. */
export function fromBothEnds(t: { readonly arg: ArgBuilder<BuilderTypes> }) {
  return {
    ...fromFront(t),
    last: t.arg.int({
      description: `How many from the end: 1 to ${CONNECTION_PAGE.max}. Not together with "first".`,
    }),
    before: t.arg.string({ description: 'Only what stands before this cursor.' }),
  }
}
