import type { Paging } from '@tributary/runtime/http/paging.ts';
import type { App } from '../app.ts';
import { type Claimant, listClaimedSubscriptions } from '../subscriptions/list-store.ts';
import { showPortalPage } from '../subscriptions/show-portal-page.flow.ts';

/** The subscriptions on which a customer, or one member of it, has claimed a seat. */
export const showClaimedSubscriptions = async (app: App, claimant: Claimant, paging: Paging) =>
  showPortalPage(app, await listClaimedSubscriptions(app.db.manager, claimant, paging), paging);
