import type { Link } from '@firsthand/react-native';

/** The verification and the service of a capture link; undefined for any other text. */
export function linkIn(text: string): Link | undefined {
  const [, baseUrl, token] = /^\s*(https?:\/\/[^\s?#]+?)\/v\/(vfy_[A-Za-z0-9]+)/.exec(text) ?? [];
  return baseUrl && token ? { baseUrl, token } : undefined;
}
