/** `[plugins]`: plugins that are npm packages (src/plugins). */
import * as z from 'zod'
import { says, text } from '../field.ts'
import { pluginOfPackage } from '../../core/tool/plugin-package.ts'

const PACKAGE_RULE =
  'must be the name of an npm package, such as "factotum-plugin-weather" or "@acme/weather", whose last part, without ' +
  '"factotum-plugin-", is the name of its plugin'
const MAX_PACKAGES = 100

export const pluginsSchema = z.strictObject(
  {
    packages: z
      .array(
        text(PACKAGE_RULE, (name) => pluginOfPackage(name) !== null),
        says('must be a list of names of packages, such as ["factotum-plugin-weather"]'),
      )
      .max(MAX_PACKAGES, says(`must have at most ${MAX_PACKAGES} entries`))
      .default([])
      .meta({
        description:
          'npm packages that are plugins, in the folder node_modules beside config.toml; "factotum plugin install" puts them there. ' +
          'An admin enables each. Of a folder in plugins/ with the same name, the folder counts.',
      }),
  },
  says('must be a section [plugins]'),
)
