/** The files that the next message names. */
import { IconButton } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/display/icon.tsx'
import { sizeText } from '../../../ui/display/time-text.ts'
import type { Upload, Uploads } from './use-uploads.ts'

export function FileChips({ uploads }: { readonly uploads: Uploads }) {
  if (uploads.files.length === 0) return null
  return (
    <ul className="chips" aria-label="Files">
      {uploads.files.map((upload) => (
        <Chip key={upload.name} upload={upload} uploads={uploads} />
      ))}
    </ul>
  )
}

function Chip({ upload, uploads }: { readonly upload: Upload; readonly uploads: Uploads }) {
  const { name, file, status, problem } = upload
  const hasFailed = status === 'failed'
  return (
    <li className={hasFailed ? 'chip chip-bad' : 'chip'}>
      <Icon name="file" />
      <span className="cut foreign">{name}</span>
      <span className="faint small cut">
        {status === 'sending' ? 'on its way …' : hasFailed ? problem : sizeText(file.size)}
      </span>
      {hasFailed && <IconButton icon="retry" label={`Try ${name} again`} onClick={() => uploads.retry(upload)} />}
      <IconButton icon="close" label={`Leave out ${name}`} onClick={() => uploads.remove(name)} />
    </li>
  )
}
