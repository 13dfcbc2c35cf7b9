/**
 * Finding texts by the words they share with another one, at a cost that does not depend on how many texts there are:
 * for each word only the newest texts that have it are looked at, through a B-tree (`fact_words`, `learning_words`). An
 * inverted index (GIN) would read every text that has a frequent word or trigram: with 100 000 facts a quarter of a
 * second.
 */

/** A longer text says nothing more about what it is about. */
const MAX_TEXT_CHARS = 8000
/** Words of the text that are looked up: the longest, which are the rarest. */
const MAX_WORDS = 32
/** Texts looked at for each word. A word that more have says little. */
const TEXTS_PER_WORD = 40

/** SQL of the words of $1, as they are looked up: one column, `word`. */
export const WORDS_OF_TEXT = `SELECT DISTINCT word_key(lexeme) AS word FROM (
    SELECT lexeme FROM unnest(to_tsvector('simple', left($1, ${MAX_TEXT_CHARS}))) WHERE length(lexeme) > 1
    ORDER BY length(lexeme) DESC LIMIT ${MAX_WORDS}) longest`

/**
 * SQL of the `limit` texts that share most with `words`: `id`, `weight`. A word weighs the less the more texts have it.
 * A range of rows instead of `word = words.word`: for the average word, which few texts have, PostgreSQL would fetch
 * all and sort them, and so read everything for a frequent one.
 */
export function sharingSql(kind: 'fact' | 'learning', limit: string): string {
  return `SELECT id, sum(weight) AS weight FROM (
      SELECT hit.id, 1.0 / count(*) OVER (PARTITION BY words.word) AS weight FROM words CROSS JOIN LATERAL (
        SELECT ${kind}_id AS id FROM ${kind}_words
          WHERE (word, ${kind}_id) >= (words.word, '') AND (word, ${kind}_id) <= (words.word, 'zzzz')
          ORDER BY word DESC, ${kind}_id DESC LIMIT ${TEXTS_PER_WORD}) hit
    ) hits GROUP BY id ORDER BY 2 DESC, 1 DESC LIMIT ${limit}`
}
