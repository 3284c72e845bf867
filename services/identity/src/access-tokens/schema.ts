import { scopes } from '@tributary/proto/access.ts';
import { pagingShape, sortedBy } from '@tributary/runtime/http/paging.ts';
import { resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';

export const Scope = z.enum(scopes).meta({ id: 'Scope' });

const Comment = z.string().min(1).max(255);
const Scopes = z.array(Scope).min(1).max(scopes.length);

export const accessTokenShape = {
  ...resourceShape,
  comment: z.string(),
  scopes: z.array(Scope),
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
};

export const createShape = {
  comment: Comment,
  expires_in: z.string().max(64).nullish().meta({ format: 'duration' }),
  scopes: Scopes,
};

export const updateShape = { comment: Comment.nullish(), scopes: Scopes.nullish() };

export const sortKeys = ['created_at', 'comment', 'expires_at', 'last_used_at'] as const;
export type SortKey = (typeof sortKeys)[number];

export const listShape = {
  ...pagingShape,
  sorting: sortedBy('AccessTokenSortProperty', sortKeys, ['-created_at']),
};
