import type { MessageKey, Translator } from '../../base/i18n.ts';

const METHODS: Record<string, MessageKey> = {
  passkey: 'method.passkey',
  magic_link: 'method.magic_link',
  invitation: 'method.invitation',
  one_time_code: 'method.one_time_code',
  first_run: 'method.first_run',
};

/** How somebody signed in, in words: `method` of a session. */
export function methodText({ t }: Pick<Translator, 't'>, method: string): string {
  const key = METHODS[method];
  return key ? t(key) : t('method.oidc', { provider: method.replace(/^oidc:/, '') });
}
