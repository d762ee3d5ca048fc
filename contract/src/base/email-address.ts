const ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?';
const ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(${LABEL}(?:\\.${LABEL})+)$`, 'u');

/**
 * An address as addresses are compared: in lower case. A letter keeps its case where another letter has the same lower case: U+212A
 * (Kelvin sign) becomes no `k`, so an address with it is nobody else's. For the same reason nothing is normalised to NFC, which makes U+212A a `K`.
 */
export const comparableEmail = (text: string): string =>
  Array.from(text, letter => {
    const lower = letter.toLowerCase();
    return lower.toUpperCase() === letter ? lower : letter;
  }).join('');

/** Whether a text is an e-mail address, letters of every script included (RFC 6531). The domain must have an ASCII form. */
export function isEmailAddress(text: string): boolean {
  const domain = ADDRESS.exec(text)?.[1];
  return domain !== undefined && URL.canParse(`http://${domain.normalize('NFC')}`);
}
