import { type Page, type Paging, presentPage } from '@tributary/runtime/http/paging.ts';
import type { App } from '../app.ts';
import { presentPortalSubscription } from './present.ts';
import type { Subscription } from './subscription.ts';
import { loadLiveParts } from './view-subscriptions.flow.ts';

/** Subscriptions as the portal lists them, with their usage as it is now. */
export async function showPortalPage(app: App, page: Page<Subscription>, paging: Paging) {
  const parts = await loadLiveParts(app, page.items);
  return presentPage(page, paging, (subscription) => {
    const part = parts.get(subscription.id)!;
    return presentPortalSubscription(subscription, part, part.organization);
  });
}
