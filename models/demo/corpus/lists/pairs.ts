// Opposites and translations.

const OPPOSITE_TEXT = `hot cold, big small, tall short, fast slow, young old, happy sad, good bad, light dark, day night, up down,
left right, open closed, full empty, hard soft, wet dry, rich poor, strong weak, loud quiet, early late, high low, near far,
clean dirty, easy difficult, first last, black white, inside outside, always never, love hate, start stop, begin end, win lose,
buy sell, push pull, give take, come go, yes no, true false, thick thin, wide narrow, deep shallow, sharp blunt, sweet sour,
smooth rough, brave afraid, cheap expensive, safe dangerous, summer winter, north south, east west, above below, before after,
asleep awake, alive dead, friend enemy, remember forget, laugh cry, arrive leave, front back, top bottom, everything nothing,
beautiful ugly, possible impossible, more less, many few, polite rude, question answer, ask answer`;

/** Words and their opposites, in both directions where the way back is clear. */
export const OPPOSITES: ReadonlyMap<string, string> = opposites();

function opposites(): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  const pairs = OPPOSITE_TEXT.split(/,\s*/).map((pair) => pair.split(' '));
  for (const [one = '', other = ''] of pairs) {
    if (!map.has(one)) map.set(one, other);
    if (!map.has(other)) map.set(other, one);
  }
  return map;
}

/** The languages the model knows a few words of. */
export const LANGUAGES = ['French', 'Spanish', 'German'] as const;
/** One of the languages. */
export type Language = (typeof LANGUAGES)[number];

const TRANSLATION_TEXT = `dog chien perro Hund, cat chat gato Katze, house maison casa Haus, water eau agua Wasser, bread pain pan Brot,
milk lait leche Milch, cheese fromage queso Käse, apple pomme manzana Apfel, book livre libro Buch, table table mesa Tisch,
chair chaise silla Stuhl, door porte puerta Tür, window fenêtre ventana Fenster, sun soleil sol Sonne, moon lune luna Mond,
star étoile estrella Stern, tree arbre árbol Baum, flower fleur flor Blume, bird oiseau pájaro Vogel, fish poisson pez Fisch,
horse cheval caballo Pferd, cow vache vaca Kuh, mother mère madre Mutter, father père padre Vater, sister sœur hermana Schwester,
brother frère hermano Bruder, friend ami amigo Freund, child enfant niño Kind, man homme hombre Mann, woman femme mujer Frau,
day jour día Tag, night nuit noche Nacht, year année año Jahr, city ville ciudad Stadt, street rue calle Straße, car voiture coche Auto,
train train tren Zug, school école escuela Schule, hand main mano Hand, head tête cabeza Kopf, heart cœur corazón Herz,
red rouge rojo rot, blue bleu azul blau, green vert verde grün, white blanc blanco weiß, black noir negro schwarz, yellow jaune amarillo gelb,
big grand grande groß, small petit pequeño klein, good bon bueno gut, bad mauvais malo schlecht, hello bonjour hola hallo,
thanks merci gracias danke, please s'il_vous_plaît por_favor bitte, yes oui sí ja, no non no nein, one un uno eins, two deux dos zwei,
three trois tres drei, fire feu fuego Feuer, snow neige nieve Schnee, rain pluie lluvia Regen`;

/** English words with their translations. */
export const TRANSLATIONS: readonly Readonly<Record<Language | 'English', string>>[] = TRANSLATION_TEXT.split(
  /,\s*/,
).map((row) => {
  const [English = '', French = '', Spanish = '', German = ''] = row
    .split(' ')
    .map((entry) => entry.replaceAll('_', ' '));
  return { English, French, Spanish, German };
});
