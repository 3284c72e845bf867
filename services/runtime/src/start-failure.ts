/** Why a process cannot start, in one line for its operator. */
export class StartFailure extends Error {
  override readonly name: string = 'StartFailure';
}
