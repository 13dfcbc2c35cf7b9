/** All plugins: how each does, its switch, its place among the others, and its settings. */
import { useState } from 'react'
import { useChange } from '../../data/use-change.ts'
import { usePages } from '../../data/use-read.ts'
import {
  PluginsDocument,
  RestartPluginDocument,
  UpdatePluginDocument,
  type PluginRowFragment,
  type UpdatePluginInput,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Status } from '../../ui/display/badge.tsx'
import { KeyHints } from '../../ui/display/key-hints.tsx'
import { Time } from '../../ui/display/time.tsx'
import { ListPane } from '../../ui/picking/list-pane.tsx'
import { PickRow } from '../../ui/picking/pick-row.tsx'
import { usePicking } from '../../ui/picking/use-picking.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { SettingsDialog } from './settings-dialog.tsx'

const KEYS = [
  ['↑ ↓', 'move'],
  ['o', 'switch on or off'],
  ['e', 'settings'],
  ['[ ]', 'earlier, later'],
] as const

const noPlugins = (
  <EmptyState icon="plugins" title="No plugin is installed">
    A plugin is a folder in plugins/ of the server&apos;s home. It is found automatically, and switched on here.
  </EmptyState>
)

const TONES = { READY: 'good', DEGRADED: 'warn', MISSING: 'warn' } as const

type Update = (row: PluginRowFragment, change: Partial<UpdatePluginInput>) => void

export function PluginList() {
  const list = usePages(PluginsDocument, { first: 50 }, ({ plugins }) => plugins)
  const { send } = useChange(UpdatePluginDocument, (data) => data.updatePlugin, [PluginsDocument])
  const [edited, setEdited] = useState<PluginRowFragment | null>(null)
  const update: Update = ({ name, version }, change) => void send({ input: { name, version, ...change } })
  const move = ([row]: readonly PluginRowFragment[], step: number): void => {
    if (row !== undefined) update(row, { position: Math.max(0, row.position + step) })
  }
  const picking = usePicking(list.rows, ({ id }) => id, {
    o: () => picking.chosen.forEach((row) => update(row, { enabled: !row.enabled })),
    e: () => setEdited(picking.chosen[0] ?? null),
    '[': () => move(picking.chosen, -1),
    ']': () => move(picking.chosen, 1),
  })
  return (
    <>
      <ListPane what="plugins" list={list} empty={noPlugins} rowHeight={140} foot={<KeyHints keys={KEYS} />}>
        {(row) => (
          <PickRow id={row.id} label={row.title} picking={picking} hasBox={false}>
            <PluginCard plugin={row} />
            <Buttons plugin={row} update={update} onEdit={() => setEdited(row)} />
          </PickRow>
        )}
      </ListPane>
      {edited !== null && <SettingsDialog plugin={edited} onClose={() => setEdited(null)} />}
    </>
  )
}

function PluginCard({ plugin }: { readonly plugin: PluginRowFragment }) {
  const { title, name, release, status, description, position, calls, failures, crashes, lastError, lastErrorAt } =
    plugin
  return (
    <>
      <div className="pick-line">
        <strong className="foreign">{title}</strong>
        <span className="mono small faint">
          {name} {release}
        </span>
        <span className="push">
          <Status status={status} {...(status in TONES ? { tone: TONES[status as keyof typeof TONES] } : {})} />
        </span>
      </div>
      <p className="soft foreign">{description}</p>
      <p className="small faint">
        {`place ${position} · ${calls} calls, ${failures} failed, ${crashes} crashes`}
        {plugin.hooks.length > 0 && ` · at ${plugin.hooks.join(', ')}`}
        {plugin.tools.length > 0 && ` · tools: ${plugin.tools.join(', ')}`}
        {plugin.commands.length > 0 && ` · commands: ${plugin.commands.map((one) => `/${one}`).join(', ')}`}
        {plugin.runtimes.length > 0 && ` · models: ${plugin.runtimes.map((one) => `${name}/${one.name}`).join(', ')}`}
      </p>
      {lastError !== null && (
        <p className="small plugin-problem foreign">
          {lastError} {lastErrorAt !== null && <Time at={lastErrorAt} />}
        </p>
      )}
    </>
  )
}

interface ButtonsProps {
  readonly plugin: PluginRowFragment
  readonly update: Update
  readonly onEdit: () => void
}

function Buttons({ plugin, update, onEdit }: ButtonsProps) {
  const { send } = useChange(RestartPluginDocument, (data) => data.restartPlugin, [PluginsDocument])
  return (
    <div className="pick-actions">
      <Button
        small
        kind={plugin.enabled ? 'plain' : 'main'}
        onClick={() => update(plugin, { enabled: !plugin.enabled })}
      >
        {plugin.enabled ? 'Switch off' : 'Switch on'}
      </Button>
      <Button small icon="edit" onClick={onEdit}>
        Settings
      </Button>
      {plugin.enabled && (
        <Button small icon="retry" onClick={() => void send({ name: plugin.name })}>
          Restart
        </Button>
      )}
    </div>
  )
}
