import { tokensTopic } from '@tributary/proto/events/topics.ts';
import type { Message, Subscription } from '@tributary/runtime/messaging/message.ts';
import type { TokenCache } from './token-cache.ts';

/**
 * Drops revoked tokens as soon as word of them comes.
 * @param group of this gateway alone: every gateway has its own memory and must hear of every token
 */
export function revocations(cache: Pick<TokenCache, 'drop'>, group: string): Subscription {
  return {
    group,
    topics: [tokensTopic.name],
    async deliver(messages) {
      for (const message of messages) for (const key of namesOf(message)) cache.drop(key);
    },
  };
}

/** Every name the message gives the token: the cache knows a token by its hash and by its id. */
function namesOf({ key, value }: Message): Set<string> {
  const { token_hash, token_id } = (value ?? {}) as { token_hash?: unknown; token_id?: unknown };
  return new Set([key, token_hash, token_id].filter((name) => typeof name === 'string'));
}
