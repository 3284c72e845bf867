/** A foreseen failure; its message is the one line the person at the terminal sees. */
export class Failure extends Error {}
