/** The settings of a plugin as a form from its JSON schema. */
import { useState } from 'react'
import { useChange } from '../../data/use-change.ts'
import { PluginsDocument, UpdatePluginDocument, type PluginRowFragment } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { Problem } from '../../ui/feedback/problem.tsx'
import { SchemaField } from './schema-field.tsx'
import { settingsFields, settingsOf, textOf } from './settings-fields.ts'

interface SettingsDialogProps {
  readonly plugin: PluginRowFragment
  readonly onClose: () => void
}

export function SettingsDialog({ plugin, onClose }: SettingsDialogProps) {
  const fields = settingsFields(plugin.settingsSchema)
  const settings = plugin.settings as Readonly<Record<string, unknown>>
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map((field) => [field.name, textOf(field, settings[field.name])])),
  )
  const [problem, setProblem] = useState<string | null>(null)
  const update = useChange(UpdatePluginDocument, (data) => data.updatePlugin, [PluginsDocument])
  const save = async (): Promise<void> => {
    setProblem(null)
    try {
      const { name, version } = plugin
      const saved = await update.send({ input: { name, version, settings: settingsOf(fields, texts) } })
      if (saved !== null) onClose()
    } catch (error) {
      setProblem(`One of these is not JSON: ${(error as Error).message}`)
    }
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" isBusy={update.isSending} disabled={fields.length === 0}>
        Save
      </Button>
    </>
  )
  return (
    <Dialog
      title={`Settings of ${plugin.title}`}
      isWide
      isOpen
      onClose={onClose}
      onSubmit={() => void save()}
      actions={actions}
    >
      {fields.length === 0 && <p className="soft">It has no settings.</p>}
      {problem !== null && <Problem>{problem}</Problem>}
      {fields.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          note={plugin.secretSettings.includes(field.name) ? 'The name of a deploy secret, never its value.' : ''}
          text={texts[field.name] ?? ''}
          onChange={(text) => setTexts({ ...texts, [field.name]: text })}
        />
      ))}
    </Dialog>
  )
}
