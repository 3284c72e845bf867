import { listOf } from '@tributary/runtime/http/paging.ts';
import { Id, many } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { accessTokenShape, createShape, listShape, updateShape } from '../access-tokens/schema.ts';

export const OrganizationAccessToken = z
  .object({ ...accessTokenShape, organization_id: Id })
  .meta({ id: 'OrganizationAccessToken' });

export const OrganizationAccessTokenList = listOf(OrganizationAccessToken);

export const OrganizationAccessTokenCreate = z
  .object({ ...createShape, organization_id: Id.nullish() })
  .meta({ id: 'OrganizationAccessTokenCreate' });

/** The one answer that holds the secret. */
export const OrganizationAccessTokenCreated = z
  .object({ organization_access_token: OrganizationAccessToken, token: z.string() })
  .meta({ id: 'OrganizationAccessTokenCreateResponse' });

export const OrganizationAccessTokenUpdate = z
  .object(updateShape)
  .meta({ id: 'OrganizationAccessTokenUpdate' });

export const OrganizationAccessTokenQuery = z.object({ ...listShape, organization_id: many(Id) });
