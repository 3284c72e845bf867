import { anonymous } from '@tributary/proto/access.ts';
import { Unauthorized } from '@tributary/runtime/http/problem.ts';
import { z } from 'zod';
import { route } from '../../app.ts';
import { answerConsent } from './answer-consent.flow.ts';
import { authorize } from './authorize.flow.ts';
import { AuthorizeQuery, AuthorizeResponse } from './schema.ts';

const ConsentForm = z
  .object({
    request: z.string(),
    form_token: z.string(),
    decision: z.enum(['allow', 'deny']),
    access: z.enum(['all', 'some']).optional(),
    organization_id: z.array(z.string()).optional(),
  })
  .meta({ id: 'ConsentForm' });

export const authorizeRoutes = [
  route({
    method: 'GET',
    path: '/v1/oauth2/authorize',
    operation: 'oauth2:authorize',
    summary: 'Authorize',
    access: anonymous,
    rate: 'browser',
    query: AuthorizeQuery,
    response: AuthorizeResponse,
    problems: [Unauthorized],
    handle: (call, app) => authorize(app, call),
  }),
  route({
    method: 'POST',
    path: '/v1/oauth2/consent',
    operation: 'oauth2:consent',
    summary: 'Answer a consent page',
    access: anonymous,
    rate: 'browser',
    status: 303,
    form: true,
    raw: true,
    body: ConsentForm,
    problems: [Unauthorized],
    handle: (call, app) => answerConsent(app, call),
  }),
];
