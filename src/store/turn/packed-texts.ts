/**
 * What was said in a model call as it is stored: compressed, as half of such a text is the marks of its prompt, and
 * PostgreSQL compresses no row of less than 2 kB. What the prompts of turns have in common is in a dictionary.
 *
 * What must hold: what was packed with a dictionary is unpacked with the same one. Another dictionary is another
 * version, and the ones before stay.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { assert } from '../../platform/must.ts'

export interface PackableTexts {
  readonly prompt: string
  readonly answer: string | null
}

/** Long prompts are packed in half a millisecond; a higher level takes three times as long for a hundredth less. */
const LEVEL = 3
/** The first byte. */
const VERSION = 1

/** What is likeliest to be found stands last. */
const DICTIONARY = Buffer.from(`
# Open questions
# Files that people have sent
# Secrets that this session holds
# What strangers wrote meanwhile, retold, oldest first
# Notes on this conversation
# What is known
<<<DATA_STRANGERS_<<<END_DATA_STRANGERS_<<<DATA_QUESTIONS_<<<END_DATA_QUESTIONS_<<<DATA_FILES_<<<END_DATA_FILES_
<<<DATA_WORKING_MEMORY_<<<END_DATA_WORKING_MEMORY_<<<DATA_SKILLS_<<<END_DATA_SKILLS_<<<DATA_FACTS_<<<END_DATA_FACTS_
Standard error:\\n<<<DATA_STDERR_<<<END_DATA_STDERR_
Names and types of the tools that may be called
# Skills that may be used: none.
# The conversation so far, in short\\n\\n<<<DATA_SUMMARY_<<<END_DATA_SUMMARY_
# The summary so far\\n\\nNone yet.\\n\\n# Messages to add, oldest first\\n\\nMessage 1, by \\"
{\\"goal\\":\\"\\",\\"secrets\\":[],\\"tasks\\":[
{\\"type\\":\\"exec\\",\\"detail\\":\\"\\",\\"expect\\":\\"\\",\\"skill\\":null,\\"args\\":null},{\\"type\\":\\"msg\\"
{\\"status\\":\\"ok\\",\\"reason\\":null,\\"learn\\":null}
\\n\\n# What was said before, oldest first\\n\\n (USER),
<<<EARLIER_MESSAGE_<<<END_EARLIER_MESSAGE_ (USER), Monday Answered, Monday
>>>\\n\\n# The message to plan for\\n\\n writes:\\n<<<MESSAGE_>>>\\n\\n# Caller\\n\\n, role ADMIN.
>>>\\n\\n# The user's message\\n\\n<<<MESSAGE_>>>\\n<<<END_MESSAGE_
>>>\\n\\n# What is answered\\n\\n wrote:\\n<<<DATA_MESSAGE_>>>\\n<<<END_DATA_MESSAGE_
>>>\\nAnswered:\\n<<<DATA_ANSWER_>>>\\n<<<END_DATA_ANSWER_
>>>\\n\\n# The goal of the plan\\n\\n<<<GOAL_>>>\\n<<<END_GOAL_
>>>\\n\\n# What to say\\n\\n<<<DETAIL_>>>\\n\\n# Tasks that ran before, in order\\n\\n
>>>\\n\\n# The task to judge\\n\\nTask 1: EXEC, DONE, exit code 0.\\n<<<DETAIL_>>>\\n<<<END_DETAIL_
>>>\\nExpected:\\n<<<EXPECT_>>>\\n<<<END_EXPECT_
>>>\\nStandard output:\\n<<<DATA_STDOUT_>>>\\n<<<END_DATA_STDOUT_>>>\\nStandard error: nothing.","
["The markers of this prompt carry the token .\\n\\nNow:
Monday Tuesday Wednesday Thursday Friday Saturday Sunday 2026-11-,
 time zone UTC. Times in this prompt are of this time zone.\\n\\n#`)

export function packTexts({ prompt, answer }: PackableTexts): Buffer {
  const packed = deflateRawSync(JSON.stringify([prompt, answer]), { level: LEVEL, dictionary: DICTIONARY })
  return Buffer.concat([Buffer.of(VERSION), packed])
}

/** Throws for what a later version of this program has packed. */
export function unpackTexts(packed: Uint8Array): PackableTexts {
  assert(packed[0] === VERSION, `texts of a model call are packed as version ${packed[0]}`)
  const text = inflateRawSync(packed.subarray(1), { dictionary: DICTIONARY }).toString()
  const [prompt, answer] = JSON.parse(text) as [string, string | null]
  return { prompt, answer }
}
