import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { Issue } from '@tributary/runtime/http/problem.ts';
import { benefitsById, benefitsOfProducts } from '../benefits/store.ts';
import type { FileLinks } from '../files/links.ts';
import { requestSweep } from '../sweeps/request-sweep.flow.ts';
import { issueAt, refuse } from './check-product.flow.ts';
import { lockedBenefits, type Product } from './product.ts';
import { publishProduct } from './publish-product.flow.ts';
import type { ProductWire } from './schema.ts';
import { replaceBenefits, updateProduct } from './store.ts';

/** Sets the benefits of a product and has its customers' grants follow. */
export async function changeBenefits(
  tx: Tx,
  product: Product,
  ids: readonly string[],
  links: FileLinks,
  now: Date,
): Promise<ProductWire> {
  const current = (await benefitsOfProducts(tx, [product.id])).get(product.id) ?? [];
  const found = await benefitsById(tx, ids);
  const issues: Issue[] = [];
  const wanted = ids.flatMap((id, index) => {
    const benefit = found.get(id);
    const isKnown = benefit?.organization_id === product.organization_id && benefit.deleted_at === null;
    if (isKnown && ids.indexOf(id) === index) return benefit;
    issues.push(issueAt(['benefits', index], isKnown ? 'Benefit listed twice.' : 'Benefit not found.', id));
    return [];
  });
  const { added, removed } = lockedBenefits(current, wanted);
  for (const id of added)
    issues.push(issueAt(['benefits', ids.indexOf(id)], 'This benefit cannot be attached.', id));
  for (const id of removed) issues.push(issueAt(['benefits'], 'This benefit cannot be removed.', id));
  refuse(issues);
  await replaceBenefits(tx, product.id, ids);
  const changed = { ...product, modified_at: now };
  await updateProduct(tx, changed);
  await requestSweep(tx, 'entitlements-of-product', product.id, now);
  return publishProduct(tx, changed, links, { type: 'product.updated', now });
}
