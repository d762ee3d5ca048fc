/** Messages between the tabs of one browser. */
export type SessionNews = { type: 'signed-in'; personId: string } | { type: 'ended' } | { type: 'switched' };

const channel = new BroadcastChannel('firsthand-session');

export const tellOtherTabs = (news: SessionNews): void => channel.postMessage(news);

export function onNews(listener: (news: SessionNews) => void): () => void {
  const heard = (event: MessageEvent<SessionNews>) => listener(event.data);
  channel.addEventListener('message', heard);
  return () => channel.removeEventListener('message', heard);
}
