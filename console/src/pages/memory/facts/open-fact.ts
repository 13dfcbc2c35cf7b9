import { goTo, readPlace } from '../../../app/hash-location.ts'

/** Shows a fact beside the list, or with null the list alone; what is searched for in it stays. */
export function openFact(id: string | null): void {
  const { search } = readPlace()
  goTo(`/memory/facts${id === null ? '' : `/${id}`}${search === '' ? '' : `?${search}`}`)
}
