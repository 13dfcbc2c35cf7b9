/** The mutations by which admins say who there is, as clients see them. The rules are in src/people. */
import { createUser, removeUser, updateUser, type UserChanged, type UserRemoved } from '../../../people/change-users.ts'
import { linkIdentity, unlinkIdentity } from '../../../people/link-identities.ts'
import { mergeUsers } from '../../../people/merge-users.ts'
import { namedId } from '../../../platform/id.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder, type BuilderTypes } from '../builder.ts'
import { RoleEnum } from '../enums.ts'
import { resultUnion } from '../result-union.ts'
import { toUserNode, UserType } from './user.ts'

/** `<name>Payload` with the user as they are now. */
function userPayload(name: string) {
  return builder.objectRef<UserChanged>(`${name}Payload`).implement({
    description: 'It holds: here at once, in every process within a second.',
    authScopes: AUTHENTICATED,
    fields: (t) => ({
      user: t.field({
        type: UserType,
        nullable: true,
        description: 'The user as they are now; null when the user was removed meanwhile.',
        resolve: ({ userName }, _args, { config }) => {
          const user = config.current().users.get(userName)
          return user === undefined ? null : toUserNode(user)
        },
      }),
    }),
  })
}

const SKILLS = 'The names of the skills that the user may use; admins may use all anyway.'
const TOOLS = 'Patterns of the names of tools that the user may use, such as "weather__*"; admins may use all anyway.'
const ALL_SKILLS = 'True: every skill, also those that are installed later.'

const CreateUserInput = builder.inputType('CreateUserInput', {
  description: 'Who is new.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: '1 to 32 lower-case letters, digits, "_" and "-", beginning with a letter or "_". It is for good.',
    }),
    role: t.field({ type: RoleEnum, required: true, description: 'What they may do.' }),
    skills: t.stringList({ description: `${SKILLS} None when left out.` }),
    tools: t.stringList({ description: `${TOOLS} None when left out.` }),
    allSkills: t.boolean({ description: ALL_SKILLS }),
    restore: t.boolean({
      description:
        'True: bring back a removed user of this name, with their sessions; and, where the name went from config.toml, with the tokens and identities that were made here, which are revoked otherwise.',
    }),
  }),
})

builder.mutationField('createUser', (t) =>
  t.field({
    type: resultUnion('CreateUser', userPayload('CreateUser')),
    authScopes: { admin: true },
    description: 'Adds a user. Give them a token, or link the identity under which a connector knows them.',
    args: { input: t.arg({ type: CreateUserInput, required: true, description: 'The user.' }) },
    resolve: (_root, { input }, { people, viewer }) => createUser(people, viewer, input),
  }),
)

const UpdateUserInput = builder.inputType('UpdateUserInput', {
  description: 'What to change of a user; what is left out or null stays.',
  fields: (t) => ({
    user: t.string({ required: true, description: 'The name of the user.' }),
    role: t.field({ type: RoleEnum, description: 'What they may do from now on.' }),
    skills: t.stringList({ description: SKILLS }),
    tools: t.stringList({ description: TOOLS }),
    allSkills: t.boolean({ description: `${ALL_SKILLS} False: those of "skills" alone.` }),
  }),
})

builder.mutationField('updateUser', (t) =>
  t.field({
    type: resultUnion('UpdateUser', userPayload('UpdateUser')),
    authScopes: { admin: true },
    description:
      'Changes the rights of a user, in running turns from the next task on. Refused for those whom config.toml declares, and where ' +
      'no admin with a token would be left.',
    args: { input: t.arg({ type: UpdateUserInput, required: true, description: 'Whom, and what.' }) },
    resolve: (_root, { input }, { people, viewer }) => updateUser(people, viewer, input),
  }),
)

const RemoveUserPayload = builder.objectRef<UserRemoved>('RemoveUserPayload').implement({
  description: 'The user has no rights any more; sessions and messages stay.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    removedUserId: t.id({
      description: 'The id that the user had.',
      resolve: ({ userName }) => namedId('user', userName),
    }),
  }),
})

const RemoveUserInput = builder.inputType('RemoveUserInput', {
  description: 'Who goes.',
  fields: (t) => ({ user: t.string({ required: true, description: 'The name of the user.' }) }),
})

builder.mutationField('removeUser', (t) =>
  t.field({
    type: resultUnion('RemoveUser', RemoveUserPayload),
    authScopes: { admin: true },
    description:
      'Removes a user, with all tokens and identities. Their running turns end before the next task, their schedules pause. Nobody ' +
      'else is ever given the name. Refused for those whom config.toml declares, and for the last admin.',
    args: { input: t.arg({ type: RemoveUserInput, required: true, description: 'Whom.' }) },
    resolve: (_root, { input }, { people, viewer }) => removeUser(people, viewer, input),
  }),
)

const identityFields = (t: PothosSchemaTypes.InputFieldBuilder<BuilderTypes, 'InputObject'>) => ({
  user: t.string({ required: true, description: 'The name of the user.' }),
  connector: t.string({ required: true, description: "The name of the connector's token." }),
  identity: t.string({
    required: true,
    description: 'The identity on its platform, exactly as the connector names it.',
  }),
})

const LinkIdentityInput = builder.inputType('LinkIdentityInput', {
  description: 'Who is who.',
  fields: identityFields,
})

builder.mutationField('linkIdentity', (t) =>
  t.field({
    type: resultUnion('LinkIdentity', userPayload('LinkIdentity')),
    authScopes: { admin: true },
    description: 'Says as whom a connector knows a user; users of config.toml may have further identities as well.',
    args: { input: t.arg({ type: LinkIdentityInput, required: true, description: 'Who is who.' }) },
    resolve: (_root, { input }, { people, viewer }) => linkIdentity(people, viewer, input),
  }),
)

const UnlinkIdentityInput = builder.inputType('UnlinkIdentityInput', {
  description: 'Who is no longer who.',
  fields: identityFields,
})

builder.mutationField('unlinkIdentity', (t) =>
  t.field({
    type: resultUnion('UnlinkIdentity', userPayload('UnlinkIdentity')),
    authScopes: { admin: true },
    description: 'Takes back linkIdentity: the identity is a stranger from now on.',
    args: { input: t.arg({ type: UnlinkIdentityInput, required: true, description: 'Who is no longer who.' }) },
    resolve: (_root, { input }, { people, viewer }) => unlinkIdentity(people, viewer, input),
  }),
)

const MergeUsersInput = builder.inputType('MergeUsersInput', {
  description: 'Two users who are one person.',
  fields: (t) => ({
    from: t.string({ required: true, description: 'The name of the user who is no more; a removed one, too.' }),
    into: t.string({ required: true, description: 'The name of the user who has all of it.' }),
  }),
})

builder.mutationField('mergeUsers', (t) =>
  t.field({
    type: resultUnion('MergeUsers', userPayload('MergeUsers')),
    authScopes: { admin: true },
    description:
      'One user becomes another: what they take part in and opened, messages, turns, schedules, files, tokens and identities. Running ' +
      'turns go on with the rights of the other, from the next task on. The audit keeps both names. It cannot be taken back.',
    args: { input: t.arg({ type: MergeUsersInput, required: true, description: 'Who becomes whom.' }) },
    resolve: (_root, { input }, { people, viewer }) => mergeUsers(people, viewer, input),
  }),
)
