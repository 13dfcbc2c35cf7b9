/**
 * Relations that the client reads through and the database has no foreign key for: a line of the schema that ends with
 * `// no key` is none for the schema engine. Its rows are written under the lock of what they belong to, and go with it
 * by a trigger.
 */

const WITHOUT_KEY = /^.*\/\/ no key$\n?/gm

export function withoutKeys(schema: string): string {
  return schema.replaceAll(WITHOUT_KEY, '')
}

/** Parameters of a method as the CLI sends them: each schema file in them, wherever it stands. */
export function paramsWithoutKeys(params: unknown): unknown {
  if (Array.isArray(params)) return params.map(paramsWithoutKeys)
  if (typeof params !== 'object' || params === null) return params
  const entries = Object.entries(params)
  const isFile = 'path' in params && 'content' in params
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      isFile && key === 'content' && typeof value === 'string' ? withoutKeys(value) : paramsWithoutKeys(value),
    ]),
  )
}
