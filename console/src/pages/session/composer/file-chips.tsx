/** The files that the next message names. */
import { IconButton } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/display/icon.tsx'
import { sizeText } from '../../../ui/display/time-text.ts'
import type { Uploads } from './use-uploads.ts'

export function FileChips({ uploads }: { readonly uploads: Uploads }) {
  if (uploads.files.length === 0) return null
  return (
    <ul className="chips" aria-label="Files">
      {uploads.files.map(({ name, size, status, problem }) => (
        <li key={name} className={status === 'failed' ? 'chip chip-bad' : 'chip'}>
          <Icon name="file" />
          <span className="cut foreign">{name}</span>
          <span className="faint small cut">
            {status === 'sending' ? 'on its way …' : status === 'failed' ? problem : sizeText(size)}
          </span>
          <IconButton icon="close" label={`Leave out ${name}`} onClick={() => uploads.remove(name)} />
        </li>
      ))}
    </ul>
  )
}
