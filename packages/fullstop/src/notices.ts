/** Notices about endings: how they are delivered, and how a receiver verifies them. */
/// <reference path="./index.ts" preserve="true" />
export type { FetchLike } from './engines/port/host.js';
export {
  type DeliverNoticesOptions,
  deliverNotices,
  type Notice,
  type NoticeDelivery,
  type NoticeFailure,
  type NoticeTarget,
  type WebhookTarget,
} from './run/notices/deliver.js';
export {
  type HeadersLike,
  type VerifiedNotice,
  type VerifyNoticeOptions,
  verifyNotice,
} from './run/notices/notice-signature.js';
