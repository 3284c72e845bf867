/** A server could not be had or started; the message is one line that says why and names what to mend. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure';
}
