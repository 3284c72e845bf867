/** A mail ready to be sent. */
export interface Mail {
  /** Without angle brackets; the same on every attempt, so that mail servers and readers can drop repeats. */
  message_id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Hands mails over. */
export interface Mailer {
  /** Resolves once the mail is in other hands; rejects to have it tried again. */
  send(mail: Mail): Promise<void>;
  /** Destroys what is still kept here of mails that were sent; what has left is out of reach. */
  forget(messageIds: readonly string[]): Promise<void>;
  close(): void;
}
