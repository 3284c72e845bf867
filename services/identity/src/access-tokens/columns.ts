import { nullable, recorded, text, textArray, timestamp } from '@tributary/runtime/db/columns.ts';

export const accessTokenColumns = {
  ...recorded,
  token_hash: text,
  comment: text,
  scopes: textArray,
  expires_at: nullable(timestamp),
  last_used_at: nullable(timestamp),
};

export const sortColumns = {
  created_at: 'token.created_at',
  comment: 'token.comment',
  expires_at: 'token.expires_at',
  last_used_at: 'token.last_used_at',
};
