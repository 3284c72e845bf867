/** A known difference between our API document and release 2026-04, with the reason it is there. */
export interface Difference {
  /** Operations it is about. */
  operation: RegExp;
  /** `+` a fact only ours has, `-` a fact only the reference has. */
  sign: '+' | '-';
  fact: RegExp;
  why: string;
}

export const differences: readonly Difference[] = [];
