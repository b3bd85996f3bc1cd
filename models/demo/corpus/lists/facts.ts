// Small facts of the world: a question wording and its answer. Common knowledge, written by hand.
import { type Phrase, phrase } from '../phrase.js';

/** A fact and the wordings that ask for it. */
export interface Fact {
  readonly ask: Phrase;
  readonly answer: string;
}

const COLOUR = '[What|Which] [colour|color] [is|has]';
const TEXT = `
${COLOUR} the sky[?|]|The sky is blue.
${COLOUR} grass[?|]|Grass is green.
${COLOUR} snow[?|]|Snow is white.
${COLOUR} [a |]banana[s|][?|]|A banana is yellow.
${COLOUR} blood[?|]|Blood is red.
${COLOUR} coal[?|]|Coal is black.
${COLOUR} [a |an |]carrot[?|]|A carrot is orange.
${COLOUR} milk[?|]|Milk is white.
${COLOUR} [a |]tomato[?|]|A tomato is red.
${COLOUR} the sun[?|]|The sun is yellow.
${COLOUR} [a |]leaf[?|]|A leaf is green.
[What colour|What color|Which colour] do you get [from|when you mix|if you mix] blue and yellow[?|]|Blue and yellow make green.
[What colour|What color|Which colour] do you get [from|when you mix|if you mix] red and yellow[?|]|Red and yellow make orange.
[What colour|What color|Which colour] do you get [from|when you mix|if you mix] red and blue[?|]|Red and blue make purple.
[What colour|What color|Which colour] do you get [from|when you mix|if you mix] red and white[?|]|Red and white make pink.
[How many|What number of] legs does a spider have[?|]|A spider has eight legs.
[How many|What number of] legs does a [dog|cat|horse|cow] have[?|]|It has four legs.
[How many|What number of] legs does an insect have[?|]|An insect has six legs.
[How many|What number of] legs does a bird have[?|]|A bird has two legs.
How many wheels does a car have[?|]|A car has four wheels.
How many wheels does a [bicycle|bike] have[?|]|A bicycle has two wheels.
How many days [are in|does|are there in] a week[| have][?|]|A week has seven days.
How many days [are in|does|are there in] a year[| have][?|]|A year has 365 days.
How many months [are in|does|are there in] a year[| have][?|]|A year has twelve months.
How many hours [are in|does|are there in] a day[| have][?|]|A day has 24 hours.
How many minutes [are in|does|are there in] an hour[| have][?|]|An hour has 60 minutes.
How many seconds [are in|does|are there in] a minute[| have][?|]|A minute has 60 seconds.
How many letters [are in|does|are there in] the [English |]alphabet[| have][?|]|The English alphabet has 26 letters.
How many fingers [are on|does] [a|one] hand[| have][?|]|A hand has five fingers.
How many continents are there[?|]|There are seven continents.
How many sides does a triangle have[?|]|A triangle has three sides.
How many sides does a square have[?|]|A square has four sides.
How many planets [are in the solar system|does the solar system have|are there][?|]|The solar system has eight planets.
[What|Which] is the [largest|biggest] [planet|planet in the solar system][?|]|The largest planet is Jupiter.
[What|Which] is the smallest planet[?|]|The smallest planet is Mercury.
[On which|On what|Which] planet do we live[| on][?|]|We live on the planet Earth.
[Which|What] planet is [called |known as |]the red planet[?|]|Mars is the red planet.
[What|Which] planet is [closest|nearest] to the sun[?|]|Mercury is closest to the sun.
[What|Which] is the [largest|biggest] ocean[?|]|The largest ocean is the Pacific.
[What|Which] is the [highest|tallest] mountain[?| in the world?| on Earth?]|The highest mountain is Mount Everest.
[What|Which] is the longest river[?| in the world?| on Earth?]|The Nile is often called the longest river.
[What|Which] is the [largest|biggest] animal[?| in the world?| on Earth?]|The largest animal is the blue whale.
[What|Which] is the fastest [animal on land|land animal|animal][?|]|The fastest animal on land is the cheetah.
[What|Which] is the tallest animal[?| in the world?]|The tallest animal is the giraffe.
What do bees make[?|]|Bees make honey.
What do hens lay[?|]|Hens lay eggs.
What do cows [give us|give|make][?|]|Cows give milk.
What do pandas eat[?|]|Pandas eat bamboo.
What does a cat say[?|]|A cat says meow.
What does a dog say[?|]|A dog says woof.
What does a cow say[?|]|A cow says moo.
What does a duck say[?|]|A duck says quack.
What does a sheep say[?|]|A sheep says baa.
What does a frog say[?|]|A frog says ribbit.
What is ice[?| made of?]|Ice is frozen water.
What is water made of[?|]|Water is made of hydrogen and oxygen.
[At what temperature|When|At how many degrees] does water boil[?|]|Water boils at 100 degrees Celsius.
[At what temperature|When|At how many degrees] does water freeze[?|]|Water freezes at 0 degrees Celsius.
Where does the sun rise[?|]|The sun rises in the east.
Where does the sun set[?|]|The sun sets in the west.
What are the [four |]seasons[?|]|The seasons are spring, summer, autumn and winter.
[What|Which] season comes after winter[?|]|Spring comes after winter.
[What|Which] season comes after spring[?|]|Summer comes after spring.
[What|Which] season comes after summer[?|]|Autumn comes after summer.
[What|Which] season comes after autumn[?|]|Winter comes after autumn.
Who wrote Romeo and Juliet[?|]|William Shakespeare wrote Romeo and Juliet.
Who painted the Mona Lisa[?|]|Leonardo da Vinci painted the Mona Lisa.
Who was the first [person|man|human] on the moon[?|]|Neil Armstrong was the first person on the moon.
[What|Which] [is the currency of|currency is used in|money is used in] Japan[?|]|Japan uses the yen.
[What|Which] [is the currency of|currency is used in|money is used in] the United States[?|]|The United States uses the dollar.
[What|Which] [is the currency of|currency is used in|money is used in] Germany[?|]|Germany uses the euro.
[What|Which] language [is spoken|do people speak] in France[?|]|French is spoken in France.
[What|Which] language [is spoken|do people speak] in Brazil[?|]|Portuguese is spoken in Brazil.
[What|Which] language [is spoken|do people speak] in Germany[?|]|German is spoken in Germany.
[What|Which] language [is spoken|do people speak] in Mexico[?|]|Spanish is spoken in Mexico.
[What is a baby dog called|How do you call a baby dog|What is a young dog called][?|]|A baby dog is a puppy.
[What is a baby cat called|How do you call a baby cat|What is a young cat called][?|]|A baby cat is a kitten.
[What is a baby cow called|How do you call a baby cow|What is a young cow called][?|]|A baby cow is a calf.
[What is a baby sheep called|How do you call a baby sheep|What is a young sheep called][?|]|A baby sheep is a lamb.
What is [the chemical formula of|the formula for|the chemical formula for] water[?|]|The formula of water is H2O.
[What|Which] gas do we [breathe|need to breathe][?|]|We need oxygen to breathe.
What do plants need[?| to grow?]|Plants need water, light and air.
What is an API[?|]|An API is a way for programs to talk to each other.
What is Python[?|]|Python is a programming language.
What is [TypeScript|typescript][?|]|TypeScript is JavaScript with types.
What is a [GGUF|gguf] file[?|]|A GGUF file holds a language model.
What is a token[?|]|A token is a small piece of text that a model reads or writes.
What is [a language model|an LLM][?|]|A language model is a program that predicts the next piece of text.
What is an embedding[?|]|An embedding is a list of numbers that describes a text.
What is a computer[?|]|A computer is a machine that follows instructions.
What is the internet[?|]|The internet is a network that connects computers.
What is a server[?|]|A server is a program that answers requests.
What is [JSON|json][?|]|JSON is a text format for data.
What is [AI|artificial intelligence][?|]|AI means programs that learn from data.
What is machine learning[?|]|Machine learning lets computers learn from examples.
[How does AI work|Explain how AI works|How do you work][?|.| in a few words][|]|AI learns patterns from examples and uses them to answer.
What is the moon[?|]|The moon is a ball of rock that goes around the Earth.
What is the sun[?|]|The sun is a star that gives us light.
Why is the sky blue[?|]|The air scatters blue light more than red light.
What is a robot[?|]|A robot is a machine that can do work by itself.
What is recursion[?|]|Recursion is when a function calls itself.
What is the meaning of life[?|]|People give many answers. Being kind is a good start.`;

/** All facts of this file. */
export const FACTS: readonly Fact[] = TEXT.trim()
  .split('\n')
  .map((line) => {
    const cut = line.lastIndexOf(']|') >= 0 ? line.lastIndexOf(']|') + 1 : line.lastIndexOf('|');
    return { ask: phrase(line.slice(0, cut)), answer: line.slice(cut + 1) };
  });
