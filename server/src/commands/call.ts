/** Sends one JSON request to a running service. Throws an error that tells the user what to do. */
export async function call<T>(url: string, o: { method?: string; key?: string; body?: unknown } = {}): Promise<T> {
  const answer = await fetch(url, {
    method: o.method ?? (o.body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(o.key ? { authorization: `Bearer ${o.key}` } : {}),
      ...(o.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(o.body === undefined ? {} : { body: JSON.stringify(o.body) }),
  }).catch((error: Error) => {
    throw new Error(`${url} cannot be reached (${error.message}). Start the service with: npm start`);
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
