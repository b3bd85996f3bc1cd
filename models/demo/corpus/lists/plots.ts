// Plots for very short stories. {n} is the hero, a(n) {a}; {m} is the friend, a(n) {b}; {he} {his} {him} follow the hero.
import { type Phrase, phrase, phrases } from '../phrase.js';

export const STORY_OPENINGS: readonly Phrase[] = phrases(`
Once upon a time[,|] there was {aa} [little|small|young|brave|kind|happy|clever|curious|shy|lonely] {a} [named|called] {n}.
Once upon a time[,|] {aa} [little|small|young|brave|kind|clever] {a} [named|called] {n} lived {place}.
[There once was|Once there was|Long ago there was|Long, long ago there lived] {aa} [little|small|young|brave|kind|clever] {a} [named|called] {n}.
{n} was {aa} [little|small|young|brave|kind|happy|clever|curious] {a} who lived {place}.
{place} lived {aa} [little|small|young|kind|clever] {a} [named|called] {n}.`);

export const STORY_HOMES: readonly Phrase[] = phrases(`
{n} lived {place}[.| with {his} family.| and loved to play.]
[Every day|Every morning] {n} played {place}.
{He} loved [the sun|the rain|music|stories|long walks|good food].`);

/** Each plot is its sentences in order. */
export const PLOTS: readonly (readonly Phrase[])[] = [
  `One [day|morning], {n} found {ac} {c} {t}.
{He} showed it to {his} friend {m} the {b}.
[They played with the {t} until the evening.|Together they played with the {t} all day.]`,
  `One day, {n} lost {his} {c} {t}.
{He} looked [everywhere|under the bed and behind the door|high and low], but {he} could not find it.
Then {ab} {b} named {m} came and [helped {him} look|looked with {him}].
[They found the {t} under a tree.|At last they found the {t} near the river.]`,
  `One morning, {n} met {ab} {b} named {m}.
{m} was sad because {m} had no friends.
"[Do you want to play with me|Will you be my friend|Come and play with me]?" asked {n}.
{m} smiled and said yes.`,
  `One day, it began to rain and {n} got wet.
{Ab} {b} named {m} [saw {him}|came by] and gave {him} {ac} {c} {t}.
{n} thanked {m} [with all {his} heart|and smiled].`,
  `{n} wanted to see the [sea|moon|snow|big city|mountains].
So {he} packed {his} {t} and walked [for many days|for a long time] with {his} friend {m} the {b}.
[At last they arrived, and it was beautiful.|When they arrived, they could not stop looking.]`,
  `One night, {n} heard a strange sound.
{He} was afraid, but {he} went to look.
It was only {m} the {b}, who [wanted to say hello|had lost the way home].
[They laughed together.|They drank warm milk together.]`,
  `{n} wanted to bake a cake for {his} friend {m} the {b}.
{He} took eggs, milk and [honey|apples|cherries|sugar].
[The cake was so good that they ate all of it.|{m} said it was the best cake in the world.]`,
  `One day, {m} the {b} fell into the river.
{n} [ran to help|did not wait] and pulled {m} out with {ac} {c} {t}.
"Thank you, {n}," said {m}.`,
  `{n} had {ac} {c} {t} and did not want to share it.
{His} friend {m} the {b} went home [alone|sad].
Then {n} was alone too, so {he} brought the {t} to {m}.
[They played together again.|{m} was happy again.]`,
  `In winter, {n} had nothing to eat.
{m} the {b} had [bread|apples|nuts|soup] and shared with {him}.
In spring, {n} gave {m} [flowers|{ac} {c} {t}].`,
  `{n} could not sleep, so {he} looked at the stars.
One star was brighter than all the others.
"[Good night, star|Sleep well, star]," said {n}, and [soon {he} slept|closed {his} eyes].`,
  `One day, {n} wanted to learn to [swim|sing|dance|fly a kite|play the drum].
{m} the {b} showed {him} how to do it.
It was hard, but {n} tried again and again.
[After a week {he} could do it.|In the end {he} could do it well.]`,
  `One day, {n} saw {ab} {b} in a tree. It was {m}, who could not come down.
{n} [brought a ladder|called for help|climbed up slowly].
Soon {m} stood on the ground again and said thank you.`,
  `{n} wanted to give {m} the {b} a present, but {he} had no money.
So {he} made {ac} {c} {t} out of [wood|paper|old things].
{m} [loved it more than anything|had never seen anything so beautiful].`,
  `One evening, the light went out and it was dark.
{n} was afraid of the dark. {m} the {b} [lit a candle|sang a song] and told {him} a story.
[Then {n} was not afraid any more.|After that, {n} liked the dark.]`,
  `{m} the {b} was ill and had to stay in bed.
Every day {n} brought {m} [soup|flowers|tea and honey|a new book].
After a week {m} could [run|laugh|play] again.`,
  `{n} and {m} the {b} wanted to know who was faster.
They ran [to the river|around the house|over the hill] and came back at the same time.
[They laughed, because both had won.|So they shared the {c} {t}.]`,
  `One morning, {n} planted a small seed in the garden.
{m} the {b} brought water every day, and they waited.
In summer there was [a big flower|a tall tree|a very big pumpkin].`,
].map((text) => text.split('\n').map(phrase));

export const STORY_ENDINGS: readonly Phrase[] = phrases(`
{n} was very happy.
From that day on, {n} [was never alone|was happy|slept well].
[And they all lived happily ever after.|And so the day ended well.]
{n} went home and slept well.
{n} learned that [it is good to help others|sharing is good|friends are a treasure|it is good to be brave].
That night, {n} fell asleep with a smile.`);

export const STORY_PLACES = [
  'in the forest',
  'in a small house',
  'in a big garden',
  'in the mountains',
  'in a quiet village',
  'in a castle',
  'by the sea',
  'in an old tree',
  'on a farm',
  'near a river',
  'under a bridge',
  'in a warm barn',
] as const;
