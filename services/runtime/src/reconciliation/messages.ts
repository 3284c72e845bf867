import type { Part } from './books.ts';
import { none } from './report.ts';

/** Beyond it, counting stops: nobody needs to know how much more than far too much it is. */
const MAX_COUNTED = 100_000;
const MAX_NAMED = 50;

/** Consumers under whose name the inbox sets aside what is no message of ours: whoever put it there lost nothing. */
const UNREADABLE = '.unreadable';

/** Messages that the relay has not published: none may be older than the report's instant. */
export const outboxPart: Part = {
  name: 'outbox',
  async read(books) {
    const [row] = await books.query<{ waiting: number; overdue: number; age: string }>(
      `select
         (select count(*) from (select from outbox limit ${MAX_COUNTED}) waiting) as waiting,
         (select count(*) from (select from outbox where created_at < $1 limit ${MAX_COUNTED}) late) as overdue,
         coalesce((select round(extract(epoch from now() - created_at), 3) from outbox order by position limit 1), 0)::text
           as age`,
      [books.before],
    );
    return {
      checks: [none('outbox: messages overdue', row!.overdue)],
      figures: [
        { name: 'outbox: messages waiting', value: String(row!.waiting) },
        { name: 'outbox: age of the oldest, seconds', value: row!.age },
      ],
    };
  },
};

/**
 * Messages whose effect has not happened, by consumer and kind: each is a difference until somebody has dealt with it
 * and deleted its row.
 */
export const parkedPart: Part = {
  name: 'parked',
  async read(books) {
    const rows = await books.query<{ consumer: string; type: string | null; messages: number }>(
      `select consumer, message ->> 'type' as type, count(*) as messages
       from (select consumer, message from parked_messages limit ${MAX_COUNTED}) aside
       group by 1, 2 order by 3 desc, 1, 2 limit ${MAX_NAMED}`,
    );
    const sum = (list: typeof rows) => list.reduce((total, row) => total + row.messages, 0);
    const [foreign, own] = [rows.filter(isForeign), rows.filter((row) => !isForeign(row))];
    const names = own.map(({ consumer, type, messages }) => `${messages} × ${consumer} ${type}`);
    return {
      checks: [none('inbox: messages parked', sum(own), names)],
      figures: [{ name: 'inbox: unreadable messages set aside', value: String(sum(foreign)) }],
    };
  },
};

const isForeign = ({ consumer }: { consumer: string }) => consumer.endsWith(UNREADABLE);
