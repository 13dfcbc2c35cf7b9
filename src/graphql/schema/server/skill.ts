/**
 * The installed skills: to each viewer those that they may use, to admins also the folders that hold none that works.
 */
import { currentUser } from '../../../config/access/current-user.ts'
import { argumentsSchema } from '../../../core/plan/arguments-schema.ts'
import type { SkillSummary } from '../../../core/plan/skill.ts'
import type { SkillProblem } from '../../../execution/skills/skill-catalog.ts'
import { usableSkills } from '../../../execution/skills/usable-skills.ts'
import type { GraphQLContext } from '../../context.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'

const SkillType = builder.objectRef<SkillSummary>('Skill').implement({
  description: 'A program that an admin has installed and that a plan may call with arguments.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, as in SKILL tasks and in [users.<name>] skills.' }),
    version: t.exposeString('version', { nullable: true, description: 'As its manifest says; for people only.' }),
    summary: t.exposeString('summary', { description: 'What it does, in a line.' }),
    argsSchema: t.field({
      type: 'JSON',
      description: 'The JSON schema of its arguments.',
      resolve: (skill) => argumentsSchema(skill.args),
    }),
  }),
})

const SkillProblemType = builder.objectRef<SkillProblem>('SkillProblem').implement({
  description: 'A folder of skills/ that holds no skill that can be used.',
  authScopes: { admin: true },
  fields: (t) => ({
    folder: t.exposeString('folder', { description: "The folder's name." }),
    message: t.exposeString('message', { description: 'What is wrong with it and what would be right.' }),
  }),
})

/** Those of the user that the token is bound to; a connector has none of its own. */
export function skillsOfViewer({ viewer, config, skills }: GraphQLContext): readonly SkillSummary[] {
  return usableSkills(skills, viewer.user === null ? null : currentUser(config.current(), viewer.user.name))
}

builder.queryFields((t) => ({
  skills: t.field({
    type: [SkillType],
    extensions: ALL_STORED,
    authScopes: AUTHENTICATED,
    description: 'The skills that the viewer may use, by name.',
    resolve: (_root, _args, context) => skillsOfViewer(context),
  }),
  skillProblems: t.field({
    type: [SkillProblemType],
    extensions: ALL_STORED,
    nullable: true,
    authScopes: { admin: true },
    description: 'The folders of skills/ that hold no skill that can be used, and why. For admins.',
    resolve: (_root, _args, { skills }) => skills.scan().problems,
  }),
}))
