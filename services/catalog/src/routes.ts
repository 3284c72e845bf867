import type { Route } from '@tributary/runtime/http/route.ts';
import type { App } from './app.ts';
import { portalBenefitGrantRoutes } from './benefit-grants/portal-routes.ts';
import { benefitGrantRoutes } from './benefit-grants/routes.ts';
import { benefitRoutes } from './benefits/routes.ts';
import { customFieldRoutes } from './custom-fields/routes.ts';
import { portalDownloadableRoutes } from './downloadables/portal-routes.ts';
import { fileRoutes } from './files/routes.ts';
import { transferRoutes } from './files/transfer-routes.ts';
import { portalLicenseKeyRoutes } from './license-keys/portal-routes.ts';
import { licenseKeyRoutes } from './license-keys/routes.ts';
import { portalOrganizationRoutes } from './organizations/portal-routes.ts';
import { productRoutes } from './products/routes.ts';

export const routes: Route<App>[] = [
  ...productRoutes,
  ...benefitRoutes,
  ...benefitGrantRoutes,
  ...licenseKeyRoutes,
  ...portalLicenseKeyRoutes,
  ...customFieldRoutes,
  ...fileRoutes,
  ...transferRoutes,
  ...portalBenefitGrantRoutes,
  ...portalDownloadableRoutes,
  ...portalOrganizationRoutes,
];
