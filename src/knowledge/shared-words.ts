/**
 * Finding texts by the words they share with another one, at a cost that does not depend on how many texts there are:
 * for each word only the newest texts that have it are read, through a B-tree (`learning_words`). An inverted
 * index (GIN) would read every text that has a frequent word or trigram: of 100 000 texts a quarter of a second.
 */

/** A longer text says nothing more about what it is about. */
const MAX_TEXT_CHARS = 8000
/** Words of the text that are looked up: the longest, which are the rarest. */
const MAX_WORDS = 32
/** Texts read for each word. A word that more have says little. */
const TEXTS_PER_WORD = 40

/** SQL of the words of $1, as they are looked up: one column, `word`. */
export const WORDS_OF_TEXT = `SELECT DISTINCT word_key(lexeme) AS word FROM (
    SELECT lexeme FROM unnest(to_tsvector('simple', left($1, ${MAX_TEXT_CHARS}))) WHERE length(lexeme) > 1
    ORDER BY length(lexeme) DESC LIMIT ${MAX_WORDS}) longest`

/** A table of words, each with the texts that have it. */
interface WordTable {
  readonly table: string
  /** Its column of the text's id. */
  readonly id: string
}

/**
 * SQL of the `limit` texts that share most with `words`: `id`, `weight`. A word weighs the less the more texts have it.
 * A range of rows instead of `word = words.word`: for the average word, which few texts have, PostgreSQL would fetch
 * all and sort them, and so read everything for a frequent one.
 */
export function sharingSql({ table, id }: WordTable, limit: string): string {
  return `SELECT id, sum(weight) AS weight FROM (
      SELECT hit.id, 1.0 / count(*) OVER (PARTITION BY words.word) AS weight FROM words CROSS JOIN LATERAL (
        SELECT ${id} AS id FROM ${table}
          WHERE (word, ${id}) >= (words.word, '') AND (word, ${id}) <= (words.word, 'zzzz')
          ORDER BY word DESC, ${id} DESC LIMIT ${TEXTS_PER_WORD}) hit
    ) hits GROUP BY id ORDER BY 2 DESC, 1 DESC LIMIT ${limit}`
}
