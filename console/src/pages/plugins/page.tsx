/** What takes part in turns besides the server: plugins, and what plans may call. */
import { useLocation } from 'wouter'
import { goTo } from '../../app/hash-location.ts'
import { queryClient } from '../../data/query-client.ts'
import { keyOf } from '../../data/use-read.ts'
import { useUpdates } from '../../data/use-updates.ts'
import { PluginsDocument, PluginUpdatesDocument, ToolsAndSkillsDocument } from '../../generated/graphql.ts'
import { Tabs } from '../../ui/controls/tabs.tsx'
import { PluginList } from './plugin-list.tsx'
import { ToolList } from './tool-list.tsx'
import './plugins.css'
import '../../ui/picking/picking.css'

export default function PluginsPage() {
  const [path] = useLocation()
  const [, , tab = 'plugins'] = path.split('/')
  // The tools of a plugin come and go with it.
  useUpdates(PluginUpdatesDocument, {}, () => {
    for (const list of [PluginsDocument, ToolsAndSkillsDocument])
      void queryClient.invalidateQueries({ queryKey: keyOf(list) })
  })
  return (
    <div className="page">
      <header className="page-head">
        <h1>Plugins and tools</h1>
      </header>
      <div className="page-lists">
        <Tabs
          label="Plugins and tools"
          value={tab}
          onChange={(next) => goTo(next === 'plugins' ? '/plugins' : `/plugins/${next}`)}
          tabs={[
            { id: 'plugins', label: 'Plugins', content: <PluginList /> },
            { id: 'tools', label: 'Tools and skills', content: <ToolList /> },
          ]}
        />
      </div>
    </div>
  )
}
