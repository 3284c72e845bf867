const MIN_LENGTH = 12;
const MAX_LENGTH = 1000;

/** Why a password will not do; undefined when it will (NIST SP 800-63B asks for length and no more). */
export function passwordRefusal(password: string, email: string): string | undefined {
  if ([...password].length < MIN_LENGTH) return `A password has at least ${MIN_LENGTH} characters.`;
  if (password.length > MAX_LENGTH) return `A password has at most ${MAX_LENGTH} characters.`;
  if (password.toLowerCase().includes(email.toLowerCase())) return 'A password does not hold your address.';
  if (new Set(password).size < 4) return 'A password is not a few characters repeated.';
  return undefined;
}
