/** Fact.reviewedAt and reviewedBy: which person has looked at a fact as it is now. */
import { actorNamed } from '../people/to-actor.ts'
import { ActorInterface } from '../people/actor.ts'
import { builder } from '../builder.ts'
import { FactType } from '../knowledge/fact.ts'

builder.prismaObjectField(FactType, 'reviewedAt', (t) =>
  t.expose('reviewedAt', {
    type: 'DateTime',
    nullable: true,
    description:
      'When a person has made it, rewritten it, or looked at it (reviewFact) as it is now; null: none has so far.',
  }),
)

builder.prismaObjectField(FactType, 'reviewedBy', (t) =>
  t.field({
    type: ActorInterface,
    nullable: true,
    description: 'Who that was. For admins; null for others.',
    select: { reviewedBy: true },
    resolve: ({ reviewedBy }, _args, { config, viewer }) =>
      reviewedBy === null || viewer.role !== 'ADMIN' ? null : actorNamed(config.current(), reviewedBy),
  }),
)
