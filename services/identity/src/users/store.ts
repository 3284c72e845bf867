import { boolean, integer, nullable, recorded, text, timestamp } from '@tributary/runtime/db/columns.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import { EntitySchema } from 'typeorm';
import type { User } from './user.ts';

export const UserEntity = new EntitySchema<User>({
  name: 'users',
  columns: {
    ...recorded,
    email: text,
    email_verified: boolean,
    avatar_url: nullable(text),
    password_hash: nullable(text),
    failed_logins: integer,
    login_blocked_until: nullable(timestamp),
  },
});

export const findUser = (db: Reader, id: string): Promise<User | null> =>
  db.getRepository(UserEntity).findOneBy({ id });

/** The user, locked until the transaction ends. */
export const lockUser = (tx: Tx, id: string): Promise<User | null> =>
  tx.getRepository(UserEntity).findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });

/** Addresses differ by more than upper and lower case. */
export const findUserByEmail = (db: Reader, email: string): Promise<User | null> =>
  db
    .getRepository(UserEntity)
    .createQueryBuilder('user')
    .where('lower(user.email) = lower(:email)', { email })
    .getOne();

/** Stores a new user, or returns the one who has the address already. */
export async function insertUser(tx: Tx, user: User): Promise<User> {
  await tx.query(
    `insert into users (id, created_at, email, email_verified, avatar_url) values ($1, $2, $3, $4, $5)
     on conflict (lower(email)) do nothing`,
    [user.id, user.created_at, user.email, user.email_verified, user.avatar_url],
  );
  return (await findUserByEmail(tx, user.email))!;
}

export async function updateUser(db: Reader, id: string, change: Partial<User>): Promise<void> {
  await db.getRepository(UserEntity).update({ id }, change);
}
