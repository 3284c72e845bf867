import { join } from 'node:path';
import type { Credentials } from './credentials.ts';

/** What `npm start` prints once the platform is ready. */
export const welcome = (credentials: Credentials, home: string): string => `
Tributary is ready at ${credentials.base_url}

  organization        ${credentials.organization.slug} (${credentials.organization.id})
  organization token  ${credentials.organization_access_token}
  personal token      ${credentials.personal_access_token}
  user                ${credentials.user.email}
  OAuth client        ${credentials.oauth_client.client_id}
  API reference       ${credentials.base_url}/docs
  kept in             ${join(home, 'credentials.json')}

  curl -H 'Authorization: Bearer ${credentials.organization_access_token}' ${credentials.base_url}/v1/products/

`;
