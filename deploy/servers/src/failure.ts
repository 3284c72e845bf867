/** A server could not be had or started; the message is one line that says why and names what to mend. */
export class ServerFailure extends Error {
  override readonly name: string = 'ServerFailure';
}

/** This machine cannot have the server: a program it needs is not installed, or cannot be downloaded. */
export class MissingServer extends ServerFailure {
  override readonly name = 'MissingServer';
}
