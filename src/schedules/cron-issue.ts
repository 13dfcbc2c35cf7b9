/**
 * What is wrong with a cron expression, in words that say where. The grammar is that of crontab(5): five fields, each a
 * list of `*`, values and ranges, with steps; names of months and days; besides, `L` for the last day of the month.
 * What passes here has one meaning; further letters that the library behind next-firing.ts knows are refused.
 */
interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Stand for `min`, `min` + 1, … */
  readonly names: readonly string[]
}

const SUNDAY = 'SUN'

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of the month', min: 1, max: 31, names: [] },
  {
    name: 'month',
    min: 1,
    max: 12,
    names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  { name: 'day of the week', min: 0, max: 7, names: [SUNDAY, 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] },
]

const MAX_LENGTH = 255
const LAST_DAY = 'L'

/** Null when `cron` can be read. It may still name a day that never comes. */
export function cronIssue(cron: string): string | null {
  if (cron.length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters long, not ${cron.length}`
  const parts = cron.split(/\s+/).filter((part) => part !== '')
  if (parts.length !== FIELDS.length) {
    return `must have five fields (minute, hour, day of the month, month, day of the week), such as "0 9 * * MON-FRI", not ${parts.length}`
  }
  for (const [index, field] of FIELDS.entries()) {
    const issue = fieldIssue(field, parts[index] ?? '')
    if (issue !== null) return issue
  }
  return null
}

function fieldIssue(field: Field, text: string): string | null {
  for (const item of text.split(',')) {
    const issue = field.name === 'day of the month' && item === LAST_DAY ? null : itemIssue(field, item)
    if (issue !== null) return `the ${field.name} ${JSON.stringify(text)} ${issue}`
  }
  return null
}

// One of: *  */step  value  from-to  from-to/step
function itemIssue(field: Field, item: string): string | null {
  if (item === '') return 'has an empty place between commas'
  const [range = '', step, ...rest] = item.split('/')
  if (rest.length > 0) return `has more than one "/" in ${JSON.stringify(item)}`
  if (step !== undefined && !isStep(field, step)) {
    return `has the step ${JSON.stringify(step)}, which must be 1 to ${field.max}`
  }
  if (range === '*') return null
  const [from = '', to, ...further] = range.split('-')
  if (further.length > 0) return `has more than one "-" in ${JSON.stringify(item)}`
  const [first, last] = [valueOf(field, from), lastOf(field, to ?? from, { isRange: to !== undefined })]
  if (first === null || last === null) return `must be ${allowed(field)}, or a list or range of that`
  if (step !== undefined && to === undefined) {
    return `has a step after a single value: write "${from}-${field.max}/${step}" or "*/${step}"`
  }
  if (first <= last) return null
  const instead = step === undefined ? `; write it as two: "${from}-${field.max},${field.min}-${to}"` : ''
  return `has a range that ends before it begins: ${JSON.stringify(range)}${instead}`
}

/** A range that ends with SUN ends with the Sunday after its days, as people and the library mean it. */
function lastOf(field: Field, text: string, { isRange }: { readonly isRange: boolean }): number | null {
  const isToSunday = isRange && text.toUpperCase() === SUNDAY && field.names.includes(SUNDAY)
  return isToSunday ? field.max : valueOf(field, text)
}

function isStep(field: Field, step: string): boolean {
  return /^\d{1,2}$/.test(step) && Number(step) >= 1 && Number(step) <= field.max
}

function valueOf({ min, max, names }: Field, text: string): number | null {
  const named = names.indexOf(text.toUpperCase())
  if (named >= 0) return min + named
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : null
}

function allowed({ name, min, max, names }: Field): string {
  const last = name === 'day of the month' ? `, "${LAST_DAY}" (the last)` : ''
  return `"*", ${min} to ${max}${last}${names.length === 0 ? '' : `, ${names[0]} to ${names.at(-1)}`}`
}
