/** One field of a form from a JSON schema. */
import { SelectField, TextAreaField, TextField } from '../../ui/controls/field.tsx'
import type { SettingsField } from './settings-fields.ts'

interface SchemaFieldProps {
  readonly field: SettingsField
  /** Stands behind its description; may be empty. */
  readonly note: string
  readonly text: string
  readonly onChange: (text: string) => void
}

export function SchemaField({ field, note, text, onChange }: SchemaFieldProps) {
  const { name, kind, choices, description, isRequired } = field
  const hint = `${description} ${note}`.trim()
  const shared = { label: name, hint: hint === '' ? undefined : hint, value: text, required: isRequired }
  if (kind === 'json') return <TextAreaField {...shared} onChange={(event) => onChange(event.target.value)} />
  if (kind === 'switch' || kind === 'choice')
    return (
      <SelectField {...shared} onChange={(event) => onChange(event.target.value)}>
        <option value="">{isRequired ? '' : 'by default'}</option>
        {(kind === 'switch' ? ['true', 'false'] : choices).map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </SelectField>
    )
  return (
    <TextField
      {...shared}
      type={kind === 'number' ? 'number' : 'text'}
      step="any"
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
