/** Who asks. */
import { ownNamespace } from '../../../config/access/session-access.ts'
import type { Viewer } from '../../../core/identity.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { RoleEnum, TokenKindEnum } from '../enums.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import { BudgetType, budgetOfViewer } from '../server/budget.ts'
import { skillsOfViewer } from '../server/skill.ts'
import { toUserNode, UserType } from './user.ts'

const ViewerType = builder.objectRef<Viewer>('Viewer').implement({
  description: 'Who asks: the token of this request, and the user it is bound to.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    tokenName: t.exposeString('tokenName', {
      description: 'The name of the token.',
    }),
    tokenKind: t.expose('tokenKind', {
      type: TokenKindEnum,
      description: 'Whether the token stands for one user or for a connector.',
    }),
    namespace: t.exposeString('namespace', {
      nullable: true,
      description:
        'A connector may only touch sessions whose id begins with this and a colon. Null: it may touch all, or is a token of a user.',
    }),
    ownNamespace: t.string({
      description:
        'Sessions that this token opens have ids that begin with this and a colon: "@anna" for a user, "discord" for a connector.',
      resolve: ownNamespace,
    }),
    user: t.field({
      type: UserType,
      nullable: true,
      description: 'The user the token is bound to; null for connectors.',
      resolve: ({ user }) => (user === null ? null : toUserNode(user)),
    }),
    budget: t.field({
      type: BudgetType,
      nullable: true,
      description: 'What the user may use today, and has used; null for connectors and for whom there is no limit.',
      resolve: (_viewer, _args, context) => budgetOfViewer(context),
    }),
    role: t.expose('role', { type: RoleEnum, description: "The user's role; connectors are USER." }),
    allowedSkills: t.stringList({
      extensions: ALL_STORED,
      description: 'The names of the installed skills that the user may use; none for connectors.',
      resolve: (_viewer, _args, context) => skillsOfViewer(context).map(({ name }) => name),
    }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerType,
    authScopes: AUTHENTICATED,
    description: 'Who is asking: token, user, role, and the skills they may use.',
    resolve: (_root, _args, context) => context.viewer,
  }),
)
