// Given names, family names and places that people in the corpus have. Names kept for the evaluation are in heldout.ts.
import { wordsOf } from './words-of.js';

export const GIVEN_NAMES = wordsOf(`
Ada, Adam, Adele, Agnes, Ahmed, Aiko, Aisha, Alan, Albert, Alice, Alma, Amara, Amina, Amy, Ana, Andre, Andrew, Anika, Anna, Anton,
Arjun, Arthur, Astrid, Aya, Bao, Basil, Bella, Ben, Bianca, Bjorn, Bob, Boris, Brian, Bruno, Camille, Carl, Carla, Carmen, Carol,
Cecilia, Charlie, Chen, Chloe, Clara, Claire, Clement, Dana, Daniel, Daria, David, Deepa, Diana, Diego, Dora, Doris, Dylan, Edgar,
Edith, Elena, Eli, Elias, Elif, Ella, Elsa, Emil, Emily, Emma, Eric, Erik, Esther, Ethan, Eva, Evan, Farid, Fatima, Felix, Finn,
Flora, Frank, Freya, Frida, George, Georgia, Gina, Giulia, Grace, Greta, Gustav, Hana, Hannah, Hans, Harry, Hassan, Heidi, Helen,
Henry, Hugo, Ibrahim, Ida, Igor, Ilse, Ines, Ingrid, Irene, Iris, Isaac, Isabel, Ivan, Ivy, Jack, Jacob, Jake, James, Jana, Jane,
Jean, Jin, Joan, Joel, John, Jonas, Jose, Josef, Joy, Juan, Judith, Julia, Jun, Karen, Karim, Karl, Kate, Keiko, Kenji, Kim, Klaus,
Kofi, Lara, Lars, Laura, Layla, Lea, Lena, Leo, Leon, Li, Liam, Lily, Linda, Lisa, Liu, Lucas, Lucy, Luis, Luna, Luke, Maja, Manon,
Marc, Maria, Marie, Mark, Marta, Martin, Mary, Max, Maya, Mei, Mia, Michael, Mila, Milo, Min, Mina, Mira, Mohamed, Mona, Nadia,
Naomi, Nat, Nathan, Nia, Nick, Nina, Noah, Noor, Nora, Olaf, Oleg, Olga, Oliver, Olivia, Olivier, Omar, Oscar, Otto, Pablo, Paul,
Paula, Pedro, Peter, Petra, Philip, Pia, Pierre, Priya, Quentin, Rachel, Raj, Ralph, Rana, Ravi, Rita, Rob, Robin, Rosa, Rose,
Ruben, Ruth, Ryan, Sakura, Sally, Sam, Samira, Sandra, Sara, Selma, Simon, Sofia, Sonia, Stella, Stefan, Sue, Sven, Tara, Tessa,
Theo, Thomas, Tim, Tina, Tom, Toni, Uma, Vera, Victor, Viktor, Vincent, Wei, Wendy, Will, William, Wilma, Xavier, Yara, Yasmin,
Yuki, Yusuf, Zara, Zoe`);

export const FAMILY_NAMES = wordsOf(`
Adams, Ali, Baker, Bauer, Berg, Brown, Carter, Clark, Cohen, Cooper, Costa, Davis, Diaz, Dubois, Evans, Fischer, Fox, Garcia, Green,
Gupta, Hall, Hansen, Hill, Hoffman, Ito, Jansen, Johnson, Jones, Kaya, Keller, Khan, King, Kovacs, Larsen, Lee, Lewis, Lopez,
Martin, Meyer, Miller, Moore, Moreau, Nguyen, Novak, Okafor, Parker, Patel, Perez, Petrov, Reed, Ricci, Rossi, Sato, Schmidt,
Silva, Singh, Smith, Stone, Tanaka, Taylor, Turner, Visser, Wagner, Walker, Weber, White, Wilson, Wood, Wright, Young`);

export const CITIES = wordsOf(`
Aachen, Amsterdam, Ankara, Antwerp, Athens, Austin, Baghdad, Bangkok, Barcelona, Basel, Bath, Beijing, Beirut, Berlin, Bern, Bilbao,
Bogota, Bonn, Boston, Bristol, Brussels, Budapest, Cairo, Cardiff, Chicago, Cologne, Cork, Dallas, Delhi, Denver, Dresden, Dubai,
Dublin, Edinburgh, Florence, Geneva, Ghent, Glasgow, Hamburg, Hanoi, Houston, Istanbul, Jakarta, Kiel, Kyiv, Lagos, Leeds, Leiden,
Lima, Lisbon, London, Lyon, Madrid, Manila, Marseille, Melbourne, Miami, Milan, Montreal, Moscow, Mumbai, Munich, Nairobi, Naples,
New York, Nice, Osaka, Oslo, Oxford, Paris, Porto, Prague, Quito, Riga, Rome, Rotterdam, San Francisco, Santiago, Seattle, Seoul,
Shanghai, Singapore, Sofia, Stockholm, Sydney, Tokyo, Toronto, Turin, Utrecht, Valencia, Vancouver, Vienna, Vilnius, Warsaw,
York, Zagreb, Zurich`);

/** Names for heroes whose pronouns matter. */
export const BOYS = wordsOf(
  'Adam, Ben, Daniel, Erik, Felix, Hugo, Jack, Karl, Leo, Max, Omar, Paul, Tom, William',
);
export const GIRLS = wordsOf(
  'Anna, Clara, Ella, Emma, Grace, Hannah, Julia, Laura, Mia, Nora, Olivia, Rosa, Sara, Zoe',
);
