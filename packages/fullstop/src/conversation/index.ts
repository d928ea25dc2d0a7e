// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../index.ts" preserve="true" />

export type { ConversationPlace } from '../engines/port/conversation-place.js';
export type { Conversation, ReplaceOptions, SendOptions, Turn, TurnResumeOptions } from './conversation.js';
export { type ConversationOptions, conversation } from './open-conversation.js';
