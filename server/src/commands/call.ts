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
    throw unreachable(url, error);
  });
  const text = await answer.text();
  if (!answer.ok) throw refused(answer, text);
  if (text === '') return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new Error(
      `${url} does not answer as Firsthand does. Give its address with --url, or set PUBLIC_URL or PORT.`,
    );
  }
}

/** `fetch` hides the reason in its error's cause. */
export function unreachable(url: string, error: Error): Error {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return new Error(
    `${url} does not answer (${code ?? message}). Start the service with npm start, or give its address with --url, PUBLIC_URL or PORT.`,
  );
}

/** The reason of the service in its own words. */
export function refused(answer: Response, text: string): Error {
  let reason = '';
  try {
    const { error } = JSON.parse(text) as { error: { message: string; fields?: { path: string; message: string }[] } };
    reason = error.fields?.map(fault => `${fault.path} ${fault.message}.`).join(' ') ?? error.message;
  } catch {
    // Not the envelope of the service: something else answered.
  }
  return new Error(`${answer.url} answered ${answer.status}. ${reason}`.trim());
}
