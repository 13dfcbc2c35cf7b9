/** What sentences about the agent look like: the first person, what it is called, its instructions. */
import type { ByLanguage } from './form.ts'

/** Verbs of Spanish in the first person of many end so, and these nouns and adjectives. */
const NO_VERBS_ES =
  '\\p{L}*(?:ónimos|ximos|ltimos|nimos|tremos|gramos|tramos|gítimos|rítimos|ptimos|écimos|acimos|ritmos) |ramos |memos |demos |dynamos '

export const AGENT: ByLanguage = {
  en: {
    anywhere:
      // In Italian it is an article.
      'i(?! (?:\\p{L}+i|server|backup|job|test|log|file|build|link|bug|token) )(?! (?:[^ ]+ ){0,3}(?:di|del|dei|della|dello|degli|sono|vengono|hanno|che|nel|nella|su|da|non) )|im (?:a|an|the|not|sorry|afraid|sure|going|unable|able|here|still|now|also|only|just|\\p{L}+(?:ing|ed))|ive|ill|id (?:like|rather|prefer)|my|me|myself|we|our|ours|ourselves|the (?:agent|assistant|bot|planner|reviewer|curator|messenger|chatbot|llm)|this (?:agent|assistant|bot|chatbot|model|ai)|(?:the model|the ai) (?:answering|replying|that (?:answers|replies|runs)|of this|here|cannot|forgets|gets)|(?:session|conversation|chat)s (?:ai|model)|(?:claude|chatgpt|gpt|gemini|copilot) (?:cannot|can|does|refuses|forgets|sees|gets)|system prompt|as an? (?:ai|planner|assistant|agent|model|reviewer)|language model|instructions',
  },
  de: {
    anywhere:
      'ich|mein|meine|meinen|meinem|meiner|mich|mir|wir|uns|unser|unsere[nmrs]?|(?:der|dieser|dem|den) (?:agent|agenten|assistent|assistenten|bot|chatbot|planer)|als (?:planer|assistent|agent|ki|modell|prüfer|sprachmodell)|(?:die|diese) ki|(?:das|dieses) modell (?:das|hier|vergisst|antwortet|kann)|systemprompt|sprachmodell|anweisungen',
  },
  fr: {
    anywhere:
      'je|jai|javais|jutilise|jessaie|jaimerais|jignore|jattends|moi|mon|ma|(?<!(?:del|al|este|cada|por|un|último|próximo|primer) )mes|nous|notre|nos|lagent|lassistant|lia|le (?:planificateur|chatbot)|cet agent|(?:le|ce) modèle (?:qui|ici|répond|oublie)|en tant qu(?:ia|assistant|agent|e planificateur|e modèle)|invite système|modèle de langage',
  },
  es: {
    // A past of the first person.
    begins:
      '(?:ya )?(?!así|aquí|allí|ahí|también|además|después|quizás|jamás)\\p{L}{2,}[éí] |(?:he|hemos) \\p{L}+[dt]o |(?:prefiero|creo|pienso|necesito|quiero|tengo|veo|sé) ',
    anywhere: `yo|soy|puedo|prefiero|mi|mis|nosotros|nuestr[oa]s?|el (?:agente|asistente|bot|chatbot|planificador)|este agente|la ia|(?:el|este) modelo (?:que (?:responde|contesta)|aquí|olvida)|como (?:planificador|asistente|agente|modelo|ia)|modelo de lenguaje|(?!${NO_VERBS_ES})\\p{L}+(?:amos|emos|imos)`,
  },
  it: {
    begins: '(?:ho|abbiamo|siamo) |(?:preferisco|credo|penso|voglio|vedo) ',
    anywhere:
      'io|sono un|posso|preferisco|mio|mia|miei|mie|noi|nostr[oaie]|lagente|lassistente|lia|il (?:chatbot|pianificatore)|questo agente|(?:il|questo) modello che risponde|come (?:pianificatore|assistente|agente|modello|ia)|modello linguistico|(?!richiamo |ricamo )\\p{L}+iamo',
  },
}
