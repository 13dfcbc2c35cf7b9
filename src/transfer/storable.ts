/** What PostgreSQL can store. */
import * as z from 'zod'
import { isDeeper, MAX_LEVELS } from '../core/tool/nesting.ts'
import type { JsonObject } from '../core/tool/json.ts'
import { isStorable, isStorableJson } from '../platform/well-formed.ts'

const RULE = 'must be without NUL and broken Unicode'

export const storable = z.string().refine(isStorable, RULE)

/** Of what comes from JSON.parse: its texts, names of fields included, and how deeply it is nested. */
export const storableObject = z.custom<JsonObject>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !isDeeper(value, MAX_LEVELS) &&
    isStorableJson(value),
  `must be an object of at most ${MAX_LEVELS} levels, with texts that are without NUL and broken Unicode`,
)
