const ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?';
const ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(${LABEL}(?:\\.${LABEL})+)$`, 'u');

/** Whether a text is an e-mail address, letters of every script included (RFC 6531). The domain must have an ASCII form. */
export function isEmailAddress(text: string): boolean {
  const domain = ADDRESS.exec(text)?.[1];
  return domain !== undefined && URL.canParse(`http://${domain.normalize('NFC')}`);
}
