import { fileURLToPath } from 'node:url';
import express, { type Response, type Router } from 'express';
import { currentRelease, releases } from './version.ts';

const asset = (name: string) => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));

/** The page brings everything with it: it works where nothing but the gateway can be reached. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Swagger UI sets style attributes.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Tributary API ${currentRelease}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  filter: true,
  docExpansion: 'none',
  validatorUrl: null,
});
`;

/** `/openapi.json`, `/<release>/openapi.json`, and a reference page made from it at `/docs`. @param description JSON */
export function documents(description: string): Router {
  const router = express.Router();
  const paths = ['/openapi.json', ...releases.map((release) => `/${release}/openapi.json`)];
  router.get(paths, (_request, response) => {
    cached(response).set('access-control-allow-origin', '*').type('json').send(description);
  });
  router.get('/docs', (_request, response) => {
    page(response).type('html').send(PAGE);
  });
  router.get('/docs/start.js', (_request, response) => {
    page(response).type('js').send(START);
  });
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    const file = asset(name);
    router.get(`/docs/${name}`, (_request, response) => {
      cached(page(response)).sendFile(file, { cacheControl: false });
    });
  }
  return router;
}

const MAX_AGE_SECONDS = 300;

const cached = (response: Response) => response.set('cache-control', `public, max-age=${MAX_AGE_SECONDS}`);
const page = (response: Response) => response.set('content-security-policy', PAGE_POLICY);
