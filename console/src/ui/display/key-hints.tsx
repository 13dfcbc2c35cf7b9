/** Which keys do what here. */
import './display.css'

export function KeyHints({ keys }: { readonly keys: readonly (readonly [key: string, does: string])[] }) {
  return (
    <ul className="key-hints faint small" aria-label="Keys">
      {keys.map(([key, does]) => (
        <li key={key}>
          <kbd>{key}</kbd> {does}
        </li>
      ))}
    </ul>
  )
}
