/**
 * German words for kinds of things, which behind a preposition stand without an article ("auf Port", "nach Bedarf")
 * and are no names. Those that are names of people, places or days as well ("Halle", "Winter", "Montag") are not among
 * them.
 */
const NOUNS = [
  `port seite zeile spalte version kapitel abschnitt absatz punkt position nummer stelle stufe ebene schicht phase
  schritt runde etage stockwerk raum zimmer saal gebäude tür gleis bahnsteig fach regal platz block kanal gruppe klasse
  kategorie typ modell serie reihe index register feld artikel paragraph anhang blatt bild tabelle liste`,
  `server rechner datenbank datei ordner verzeichnis pfad adresse netz netzwerk leitung kabel gerät drucker bildschirm
  platte speicher schlüssel zertifikat passwort kennwort konto benutzer nutzer anwender protokoll dienst prozess auftrag
  fehler ausfall abfrage anfrage nachfrage rückfrage antwort nachricht brief post telefon text quelle vorlage muster
  fenster knopf taste maske formular container cluster`,
  `kunde lieferant mitarbeiter kollege leiter gast besucher besuch partner händler hersteller betreiber besitzer team
  firma betrieb werk büro lager vertrieb einkauf verkauf versand lieferanten beamte techniker`,
  `papier rechnung vertrag bericht plan angebot antrag beleg quittung notiz entwurf unterlage`,
  `stunde minute sekunde woche monat quartal jahr nacht mittag vormittag nachmittag mitternacht anfang beginn ende ablauf
  frist termin zeit pause urlaub feiertag werktag wochentag schluss feierabend`,
  `euro cent kilo kilogramm gramm liter meter kilometer grad prozent stück preis steuer gebühr rabatt aufwand umsatz
  gewinn menge größe gewicht länge breite höhe tiefe wert zahl anteil`,
  `gas öl wasser strom luft dampf holz metall stahl glas kunststoff farbe licht`,
  `kraft druck last bedarf wunsch grund basis absprache rücksprache abruf vorrat verdacht vorbehalt aufsicht kontrolle
  bedingung einsatz gebrauch bereitschaft alarm notfall gefahr regen schnee hitze kälte nebel`,
  `neustart start stopp abbruch wechsel umzug umbau einbau ausbau zugriff zugang eingang ausgang`,
].flatMap((words) => words.split(/\s+/))

/** Ends of compounds that no name has: a word that ends so is one of these, too. */
const HEADS =
  `seite zeile spalte nummer stelle stufe ebene schicht phase schritt etage zimmer gruppe klasse kategorie modell
  reihe register artikel tabelle liste server rechner bank datei ordner verzeichnis pfad adresse netz werk leitung kabel
  gerät drucker schirm platte speicher schlüssel zertifikat wort konto nutzer protokoll dienst prozess auftrag fehler
  ausfall frage antwort nachricht brief vorlage fenster taste maske formular container kunde lieferant arbeiter besucher
  partner betrieb büro lager papier vertrag bericht angebot antrag beleg stunde minute sekunde woche monat jahr nacht
  frist termin zeit pause urlaub gramm meter preis steuer gebühr aufwand menge gewicht wert zahl anteil wasser strom dampf
  metall stoff band farbe licht druck last bedarf grund kontrolle bedingung einsatz start abbruch wechsel zugriff zugang
  eingang ausgang plan`.split(/\s+/)

/** Letters before the end of a compound. */
const MIN_BEFORE = 3

const WORDS: ReadonlySet<string> = new Set(NOUNS.map(folded))
const ENDS = HEADS.map(folded)

/** In whichever case and number. */
export function isCommonNoun(word: string): boolean {
  const whole = folded(word)
  const forms = [whole, ...ENDINGS.flatMap((end) => (whole.endsWith(end) ? [whole.slice(0, -end.length)] : []))]
  return forms.some(
    (form) => WORDS.has(form) || ENDS.some((end) => form.endsWith(end) && form.length >= end.length + MIN_BEFORE),
  )
}

const ENDINGS = ['en', 'n', 'es', 's', 'e', 'er', 'ern']

/** Without the dots by which many plurals differ. */
function folded(word: string): string {
  return word.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '')
}
