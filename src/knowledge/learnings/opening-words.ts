/**
 * Words that a sentence begins with in capitals and that name nothing: articles, pronouns, prepositions, conjunctions,
 * and what says how something is known. Those that are names of people as well ("Will", "Per") are not among them.
 */
const WORDS = [
  `a an the this that these those there here it its he she they we you our their his her my your who what which when
  where while why how if as at by for from in into of off on onto over out to under until till unless up upon with
  within without and or but so because since after before during about above between through than then thus hence
  also even still just only not no nobody none nothing never neither nor all any both each every everyone everybody
  everything either few many more most much other others another some somebody someone something such same once is
  are was were be do does did has have had would should could please note noted remember apparently reportedly
  currently now today usually generally normally always often sometimes rarely actually however therefore instead
  otherwise according like unlike except apart besides whenever wherever whether whoever yes ok okay verified
  confirmed learned found observed discovered checked noticed known fyi info hint tip reminder important update`,
  `der die das den dem des ein eine einen einem einer eines es er sie wir ihr man dies diese dieser dieses diesen
  diesem jeder jede jedes alle alles viele einige manche mehrere beide kein keine keiner keinem niemand nichts nie
  nicht nur auch noch schon erst seit bis ab an am auf aus bei beim durch für gegen im in ins mit nach neben ohne
  über um unter vom von vor wegen während zu zum zur zwischen außer wenn falls als ob weil da dass damit wer was
  welche welcher welches wo wann wie warum und oder aber sondern doch denn so dann dort hier heute jetzt derzeit
  aktuell immer meist meistens oft manchmal selten normalerweise üblicherweise bitte laut gemäß statt trotz innerhalb
  außerhalb mindestens höchstens sein seine ihre ihren unser unsere mein meine ist sind war waren wird werden
  festgestellt bestätigt geprüft bekanntlich offenbar anscheinend hinweis`,
  `le la les un une des du de au aux à ce cet cette ces il ils elle elles on nous vous leur leurs son sa ses notre
  nos votre mon ma mes qui que quoi quel quelle quels quelles quand où comment pourquoi si car comme et ou mais donc
  ni ne pas plus sans sous sur dans en entre par pour avec avant après depuis pendant jusqu jusque chez vers contre
  selon malgré sauf hormis chaque tout toute tous toutes aucun aucune personne rien jamais seul seule seuls
  seulement aussi encore déjà ici là maintenant aujourd actuellement toujours souvent parfois rarement généralement
  normalement notez est sont était apparemment vérifié confirmé constaté attention`,
  `el los las unos unas lo al del con sin por para desde hasta hacia según sobre tras durante ante bajo mediante y u e
  o pero sino quien quienes cual cuales cuando donde como este esta estos estas ese esa esos esas aquel aquella todo
  toda todos todas cada algún alguna algunos algunas ningún ninguna nadie nada nunca solo sólo solamente también
  tampoco ya aún todavía ahora hoy siempre generalmente excepto salvo su sus nuestro nuestra mi es son fue hay se
  nota aparentemente verificado confirmado comprobado atención`,
  `il i gli uno di dello della dei degli delle allo alla ai agli alle da dal dallo dalla dai dagli dalle nel nello
  nella nei negli nelle sul sullo sulla sui sugli sulle tra fra senza secondo dopo prima fino verso contro entro
  oltre ma però che chi quale quali dove perché questo questa questi queste quello quella quelli quelle ogni tutto
  tutta tutti tutte alcuni alcune nessun nessuno nessuna niente nulla mai soltanto anche ancora già ora oggi
  attualmente sempre spesso talvolta raramente eccetto tranne non suo sua suoi sue nostra nostro mio è sono era
  apparentemente verificato confermato attenzione`,
]

export const OPENING: ReadonlySet<string> = new Set(WORDS.flatMap((words) => words.split(/\s+/)))
