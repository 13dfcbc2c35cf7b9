/** The built-in plugin `context`: texts that lie in folders become sections of prompts. */
import { join } from 'node:path'
import {
  definePlugin,
  z,
  type GivenSection,
  type PluginContext,
  type PluginDefinition,
} from '../../plugin-api/plugin.ts'
import { ContextTexts, type ContextFolder } from './context-texts.ts'

const MAX_TITLE_CHARS = 150

const settings = z.object({
  bytes: z
    .int()
    .min(1)
    .max(65_536)
    .default(32_768)
    .meta({ description: 'Of the files in FACTOTUM_HOME/context together, so many bytes reach a prompt.' }),
  sessionBytes: z
    .int()
    .min(0)
    .max(65_536)
    .default(16_384)
    .meta({ description: "The same of the session's own folder context; 0: it is not read." }),
})

/** What lies in the home is the operator's own words; what lies in a session's folder users and commands can write. */
export function contextPlugin(home: string): PluginDefinition<typeof settings> {
  const texts = new ContextTexts()
  let lastCut = ''
  return definePlugin({
    name: 'context',
    version: '1.0.0',
    api: 1,
    title: 'Context',
    description:
      "Gives models the texts in FACTOTUM_HOME/context/*.md as the operator's words, and those in the session's own folder context as data.",
    instructs: true,
    settings,
    hooks: {
      onBeforeInvoke({ workspace, sections }, ctx) {
        const own = texts.ofHome(join(home, 'context'), ctx.settings.bytes)
        const said = texts.ofWorkspace(workspace, ctx.settings.sessionBytes)
        lastCut = warnOfCut(own, lastCut, ctx)
        return [...sections, ...toSections(own, 'SERVER'), ...toSections(said, 'DATA')]
      },
    },
  })
}

function toSections({ texts }: ContextFolder, trust: 'SERVER' | 'DATA'): GivenSection[] {
  const place = trust === 'SERVER' ? '' : "The session's "
  return texts.map(({ name, text }) => ({
    title: `${place}context/${name}`.slice(0, MAX_TITLE_CHARS).toWellFormed(),
    text,
    trust,
  }))
}

/** Once for each change of what is cut. */
function warnOfCut({ cut }: ContextFolder, before: string, ctx: PluginContext<unknown>): string {
  const now = cut.join(', ')
  if (now !== '' && now !== before) {
    ctx.log.warn(`of FACTOTUM_HOME/context, these do not reach prompts whole: ${now}; raise "bytes", or shorten them`)
  }
  return now
}
