import { NameRecordsInAnswers1768000000000 } from '@tributary/runtime/forget-record.ts';
import { CreateIdentity1764000000000 } from './migrations/1764000000000-create-identity.ts';
import { ClientEntity } from './oauth2/clients/store.ts';
import { OrganizationAccessTokenEntity } from './organization-access-tokens/store.ts';
import { OrganizationEntity } from './organizations/store.ts';
import { PersonalAccessTokenEntity } from './personal-access-tokens/store.ts';
import { UserEntity } from './users/store.ts';

export const entities = [
  OrganizationEntity,
  UserEntity,
  OrganizationAccessTokenEntity,
  PersonalAccessTokenEntity,
  ClientEntity,
];

export const migrations = [CreateIdentity1764000000000, NameRecordsInAnswers1768000000000];
