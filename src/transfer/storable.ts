/** A text that PostgreSQL can store. */
import * as z from 'zod'
import { isStorable } from '../platform/well-formed.ts'

export const storable = z.string().refine(isStorable, 'must be without NUL and broken Unicode')
