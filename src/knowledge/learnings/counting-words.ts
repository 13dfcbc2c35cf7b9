/** Of up to twelve things people write the number as a word. */
export const COUNTING = [
  'one two three four five six seven eight nine ten eleven twelve',
  'eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
  'un deux trois quatre cinq six sept huit neuf dix onze douze',
  'uno dos tres cuatro cinco seis siete ocho nueve diez once doce',
  'uno due tre quattro cinque sei sette otto nove dieci undici dodici',
].map((words) => words.split(' '))

/** Of these, those that mean something else as often, in one of the languages: they count only beside a number. */
export const ALSO_OTHER_WORDS: ReadonlySet<string> = new Set(
  'one eins un uno due dos sei tre neuf once elf dix onze six sept dodici acht'.split(' '),
)
