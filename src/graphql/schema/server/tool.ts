/** The tools that the viewer may use, whatever they come from; skills are a query of their own. */
import { currentUser } from '../../../config/access/current-user.ts'
import { mayUseTool } from '../../../config/access/may-use-skill.ts'
import { matchesTool } from '../../../core/tool/tool-name.ts'
import { OWN_TOOLS } from '../../../tools/own-tools.ts'
import type { ToolOffer } from '../../../tools/tool.ts'
import type { GraphQLContext } from '../../context.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'

const ToolEffectEnum = builder.enumType('ToolEffect', {
  description: 'What a call of a tool may do.',
  values: {
    READ: { description: 'It changes nothing: several may be made side by side.' },
    WRITE: { description: 'It may change something, or nothing is known of it.' },
  } as const,
})

const ToolType = builder.objectRef<ToolOffer>('Tool').implement({
  description: 'What plans (TOOL tasks) and conversations may call besides commands and skills.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    name: t.exposeString('name', { description: '"<source>__<tool>", as in Task.tool and [users.<name>] tools.' }),
    source: t.exposeString('source', {
      description:
        'The MCP server or the plugin that it comes from; "memory" and "session" are the server itself, in conversations alone.',
    }),
    summary: t.exposeString('description', { description: 'What it does, in the words of its author.' }),
    argsSchema: t.field({
      type: 'JSON',
      description: 'The JSON schema of its arguments.',
      resolve: ({ parameters }) => parameters,
    }),
    toolEffect: t.field({
      type: ToolEffectEnum,
      description: 'What a call may do, as its source says.',
      resolve: ({ effect }) => effect,
    }),
  }),
})

const ToolFilter = builder.inputType('ToolFilter', {
  description: 'Which tools; what is left out matches all.',
  fields: (t) => ({
    name: t.string({ description: 'A name, or a pattern such as "weather__*".' }),
    effect: t.field({ type: ToolEffectEnum, description: 'Only those with this effect.' }),
  }),
})

/** Those of the user that the token is bound to; a connector has none of its own. */
function toolsOfViewer({ viewer, config, toolCatalog }: GraphQLContext): readonly ToolOffer[] {
  const user = viewer.user === null ? null : currentUser(config.current(), viewer.user.name)
  if (user === null) return []
  const ofSources = [...toolCatalog.snapshot().tools.values()].filter(({ name }) => mayUseTool(user, name))
  return [...OWN_TOOLS, ...ofSources]
}

interface ToolProblem {
  readonly source: string
  readonly problem: string
}

const ToolProblemType = builder.objectRef<ToolProblem>('ToolProblem').implement({
  description: 'A source of tools that is not there now.',
  authScopes: { admin: true },
  fields: (t) => ({
    source: t.exposeString('source', { description: 'Its name.' }),
    problem: t.exposeString('problem', { description: 'Why its tools are not there.' }),
  }),
})

builder.queryFields((t) => ({
  tools: t.field({
    type: [ToolType],
    extensions: ALL_STORED,
    authScopes: AUTHENTICATED,
    description: 'The tools that the viewer may use now, by name; at most 256.',
    args: { filter: t.arg({ type: ToolFilter, description: 'Which ones.' }) },
    resolve: (_root, { filter }, context) =>
      toolsOfViewer(context)
        .filter(({ name, effect }) => matchesTool(filter?.name ?? '*', name) && (filter?.effect ?? effect) === effect)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }),
  toolProblems: t.field({
    type: [ToolProblemType],
    extensions: ALL_STORED,
    nullable: true,
    authScopes: { admin: true },
    description: 'The sources of tools that are not there now, and why. For admins.',
    resolve: (_root, _args, { toolCatalog }) =>
      [...toolCatalog.snapshot().problems].map(([source, problem]) => ({ source, problem })),
  }),
}))
