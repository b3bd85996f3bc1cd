// Conversations to prompts by the model's template, and reply text to content, reasoning and tool calls. Pure.

export {
  detectReplyFormat,
  promptNeedsBos,
  REPLY_FORMATS,
  type ReplyFormat,
  startsInReasoning,
  type ToolFormat,
} from './format.js';
export { requireTextOnly, textOf } from './media.js';
export { type ChatRenderer, type ChatRendererOptions, createChatRenderer, templateFault } from './render.js';
export {
  createReplyParser,
  type ReplyParser,
  type ReplyParserOptions,
  replyMarkers,
} from './reply/parser.js';
export { type ReplyLead, replyLead, type ToolCallSyntax, toolCallSyntax } from './syntax.js';
