/** What is chosen on a page stands in its address, so that it can be shared and comes back after a reload. */
import { useSearchParams } from 'wouter'

type Chosen<Value> = [Value, (value: Value) => void]

/** A text; the empty one is left out of the address. */
export function useAddressedText(name: string): Chosen<string> {
  const [search, setSearch] = useSearchParams()
  const set = (value: string): void =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  return [search.get(name) ?? '', set]
}

/** One of some values, of which the first is left out of the address; so is what is none of them. */
export function useAddressedChoice<Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
): Chosen<Value> {
  const [text, set] = useAddressedText(name)
  const value = values.find((one) => one === text) ?? values[0]
  return [value, (next) => set(next === values[0] ? '' : next)]
}
