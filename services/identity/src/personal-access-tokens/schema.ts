import { listOf } from '@tributary/runtime/http/paging.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { accessTokenShape, createShape, listShape, updateShape } from '../access-tokens/schema.ts';

export const PersonalAccessToken = z
  .object({ ...accessTokenShape, user_id: Id })
  .meta({ id: 'PersonalAccessToken' });

export const PersonalAccessTokenList = listOf(PersonalAccessToken);

export const PersonalAccessTokenCreate = z.object(createShape).meta({ id: 'PersonalAccessTokenCreate' });

/** The one answer that holds the secret. */
export const PersonalAccessTokenCreated = z
  .object({ personal_access_token: PersonalAccessToken, token: z.string() })
  .meta({ id: 'PersonalAccessTokenCreateResponse' });

export const PersonalAccessTokenUpdate = z.object(updateShape).meta({ id: 'PersonalAccessTokenUpdate' });

export const PersonalAccessTokenQuery = z.object(listShape);
