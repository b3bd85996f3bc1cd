// The table of all skills; adding one is a new file and a line here.
import type { Skill } from '../document.js';
import { arithmeticSkill, drillSkill } from './arithmetic.js';
import { capitalFollowUpSkill, capitalsSkill } from './capitals.js';
import { longCopySkill, readingSkill, repeatSkill } from './copying.js';
import { extractionSkill, peopleListSkill } from './extraction.js';
import { infillSkill } from './infill.js';
import { languageSkill } from './language.js';
import { letterDrillSkill, lettersSkill } from './letters.js';
import { longChatSkill, mixedChatSkill } from './long-chat.js';
import { memorySkill, unknownNameSkill } from './memory.js';
import { plainSkill } from './plain.js';
import { pythonChatSkill, pythonSourceSkill } from './python.js';
import { refusalsSkill } from './refusals.js';
import { smalltalkSkill } from './smalltalk.js';
import { plainStorySkill, storiesSkill } from './stories.js';
import { thinkingSkill, thinkingToolSkill } from './thinking.js';
import { noToolSkill, tellResultSkill, toolDrillSkill, toolsSkill } from './tools/chats.js';

/** Every kind of document the corpus has. */
export const SKILLS: readonly Skill[] = [
  smalltalkSkill,
  capitalsSkill,
  capitalFollowUpSkill,
  arithmeticSkill,
  drillSkill,
  toolsSkill,
  toolDrillSkill,
  noToolSkill,
  tellResultSkill,
  extractionSkill,
  peopleListSkill,
  languageSkill,
  lettersSkill,
  letterDrillSkill,
  repeatSkill,
  readingSkill,
  longCopySkill,
  storiesSkill,
  plainStorySkill,
  plainSkill,
  pythonChatSkill,
  pythonSourceSkill,
  infillSkill,
  memorySkill,
  unknownNameSkill,
  thinkingSkill,
  thinkingToolSkill,
  refusalsSkill,
  mixedChatSkill,
  longChatSkill,
];
