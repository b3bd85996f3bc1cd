// Everyday words by kind. Words kept for the evaluation are in heldout.ts and must not be added here.
import { wordsOf } from './words-of.js';

export const ANIMALS =
  wordsOf(`cat, dog, rabbit, fox, bear, mouse, bird, horse, cow, pig, duck, frog, turtle, owl, lion, tiger,
elephant, monkey, sheep, goat, wolf, hedgehog, squirrel, penguin, whale, dolphin, bee, snail, dragon, hen, kitten, puppy, parrot,
otter, badger, mole, camel, zebra, giraffe, swan, crow, seal, spider, donkey, beaver`);
export const COLOURS = wordsOf(
  'red, blue, green, yellow, orange, purple, pink, brown, black, white, grey, gold, silver, turquoise, violet',
);
export const FRUITS =
  wordsOf(`apple, banana, orange, pear, grape, cherry, plum, peach, mango, lemon, kiwi, melon, strawberry,
pineapple, apricot, fig, lime, raspberry, coconut`);
export const VEGETABLES =
  wordsOf(`carrot, potato, tomato, onion, pea, bean, cabbage, leek, pepper, cucumber, pumpkin, radish,
garlic, beetroot`);
export const JOBS =
  wordsOf(`teacher, doctor, nurse, baker, farmer, painter, writer, singer, driver, cook, pilot, gardener,
engineer, lawyer, librarian, carpenter, plumber, student, musician, dancer, designer, programmer, firefighter, dentist, scientist,
tailor, waiter, photographer, mechanic, artist, clerk, sailor, judge, builder, florist`);
export const DAYS = wordsOf('Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday');
export const MONTHS = wordsOf(
  `January, February, March, April, May, June, July, August, September, October, November, December`,
);
export const SEASONS = wordsOf('spring, summer, autumn, winter');
export const WEATHERS = wordsOf('sunny, cloudy, rainy, windy, snowy, foggy, clear, stormy');
export const HOBBIES =
  wordsOf(`read books, play football, cook, travel, paint, sing, swim, dance, play chess, ride my bike,
listen to music, walk in the park, play the guitar, learn languages, work in the garden, bake bread, draw, take photos`);
export const NUMBER_WORDS =
  wordsOf(`zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen,
fourteen, fifteen, sixteen, seventeen, eighteen, nineteen, twenty`);

export const THINGS =
  wordsOf(`ball, hat, key, book, map, shoe, cake, lamp, ring, kite, bag, drum, coin, box, bell, rope, letter,
mirror, boat, scarf, bucket, flute, chair, table, door, window, clock, phone, cup, plate, spoon, knife, bottle, bag, coat, shirt,
glove, sock, desk, pen, pencil, paper, brush, hammer, nail, ladder, wheel, bike, car, truck, train, plane, ship, tent, pillow,
blanket, candle, basket, camera, radio, guitar, piano, violin, puzzle, robot, ticket, wallet, umbrella, button, ribbon, jacket,
magnet, kettle, carpet, curtain, shelf, cupboard, drawer, fridge, oven, heater, fan, screen, keyboard, printer, laptop, tablet,
charger, battery, cable, socket, switch`);

export const PLAIN_WORDS =
  wordsOf(`river, mountain, summer, winter, music, school, kitchen, market, street, bridge, castle, island,
forest, flower, butter, cheese, bread, water, coffee, sugar, dinner, breakfast, lunch, house, floor, wall, roof, word, number,
story, song, dance, game, road, city, town, village, country, world, earth, moon, star, sun, cloud, rain, snow, wind, storm, fire,
light, night, morning, evening, today, tomorrow, week, month, year, time, friend, family, mother, father, sister, brother, child,
king, queen, hello, happy, smile, dream, sleep, small, large, quick, quiet, brave, clever, computer, model, server, network, python,
code, file, data, simple, little, circle, corner, desert, engine, finger, insect, marble, needle, office, pocket, rocket, saddle,
salmon, stone, stream, travel, tunnel, valley, weather, wizard, cotton, elbow, feather, hotel, jungle, lizard, ocean, palace, quilt,
shadow, temple, velvet, whistle, garden, winner, summit, copper, dollar, yellow, letter, middle, better, bottom, bubble, rabbit,
tennis, soccer, hockey, picnic, museum, cinema, theatre, library, station, airport, hospital, church, tower, square, fountain,
statue, bakery, butcher, grocery, factory, field, meal, soup, salad, rice, pasta, pizza, honey, juice, milk, tea, salt, oil, egg,
meat, chicken, turkey, bacon, cookie, candy, chocolate, vanilla, ginger, mint, basil, pencil, crayon, eraser, ruler, scissors,
glue, tape, string, thread, fabric, leather, wood, metal, glass, plastic, rubber, brick, sand, clay, mud, dust, ash, smoke, steam,
ice, frost, hail, fog, mist, breeze, thought, memory, reason, answer, question, problem, method, result, number, figure, shape,
line, point, angle, curve, edge, surface, volume, weight, length, width, height, depth, speed, force, power, energy, heat, sound,
noise, voice, speech, language, sentence, grammar, chapter, page, title, author, reader, writer, poem, novel, history, science,
nature, animal, plant, tree, leaf, root, branch, seed, fruit, grass, bush, hedge, fence, gate, path, track, trail, hill, cliff,
cave, beach, coast, shore, wave, tide, lake, pond, swamp`);
