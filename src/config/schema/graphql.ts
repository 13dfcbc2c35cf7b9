/** `[graphql]`: what users add to the GraphQL server. */
import * as z from 'zod'
import { says, text } from '../field.ts'

const PLUGIN_RULE = 'must be a path such as "./my-plugin.ts", from the folder of config.toml, or an absolute one'

export const graphqlSchema = z.strictObject(
  {
    plugins: z
      .array(text(PLUGIN_RULE, isPath), says('must be a list of paths, such as ["./my-plugin.ts"]'))
      .default([])
      .meta({
        description:
          'Modules whose default export is a plugin of graphql-yoga or Envelop, or a function that makes one. They run inside the server, ' +
          'after its own rules. Read at start.',
      }),
  },
  says('must be a section [graphql]'),
)

function isPath(value: string): boolean {
  return value.length <= 1000 && /^(\.{1,2})?\/[^\0]+$/.test(value)
}
