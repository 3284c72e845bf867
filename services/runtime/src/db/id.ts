export { newId } from '@tributary/proto/id.ts';
