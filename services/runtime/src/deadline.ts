/**
 * The outcome of `work` if it comes within `timeoutMs`, else what `late` returns or throws. The work itself is not
 * interrupted; a rejection that comes after the deadline is dropped.
 */
export async function within<T, L>(timeoutMs: number, work: Promise<T>, late: () => L): Promise<T | L> {
  const deadline = Promise.withResolvers<undefined>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    deadline.resolve(undefined);
  }, timeoutMs);
  try {
    const outcome = await Promise.race([work, deadline.promise]);
    return isLate ? late() : (outcome as T);
  } finally {
    clearTimeout(timer);
  }
}
