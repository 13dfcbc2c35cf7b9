/**
 * Who did something: one interface wherever an actor is named, so that a page shows them all in one way. Rows
 * name them by a text; to-actor.ts says who that is.
 */
import { brandWithType } from '@pothos/core'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'

export interface Actor {
  readonly name: string
}
/** Of actors who are no node. */
export type NamedActor = 'FormerUser' | 'ServerPart' | 'Connector' | 'Stranger'

/** The actor, as one of this type. */
export function actorAs<Of extends Actor>(typeName: NamedActor | 'User', actor: Of): Of {
  brandWithType(actor, typeName as never)
  return actor
}

export const ActorInterface = builder.interfaceRef<Actor>('Actor').implement({
  description: 'Who did something: a person, a part of the server, or a connector.',
  fields: (t) => ({ name: t.exposeString('name', { description: 'How to show who it was.' }) }),
})

const KINDS: Readonly<Record<NamedActor, string>> = {
  FormerUser: 'A user of that time, who was removed since or has become another one.',
  ServerPart: 'A part of the server that acts in its own name, such as "curator". No user has such a name.',
  Connector: 'A program that speaks for others, by the name of its token. It may be revoked by now.',
  Stranger:
    'A sender whom the server does not know as a user: named by the identity that a client gave, by "" where there is none, and by ' +
    '"[erased]" after eraseUser.',
}

for (const [name, description] of Object.entries(KINDS)) {
  builder.objectRef<Actor>(name).implement({ description, authScopes: AUTHENTICATED, interfaces: [ActorInterface] })
}
