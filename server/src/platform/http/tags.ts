/** All tags of operations, in the document's order. */
export const TAGS = [
  { name: 'Verifications', description: 'Ask for photos, follow what happens, read the verdict.' },
  {
    name: 'Capture',
    description:
      'What the capture page does for the person with the link: upload photos, answer questions, report progress. The verification id in the path is the credential.',
  },
  {
    name: 'Link templates',
    description:
      'One link to print or to publish. Each time somebody opens it, it creates a verification from the current version.',
  },
  {
    name: 'Webhooks',
    description: 'Deliveries and endpoints, resending, test events, the signing secret, and the stream of events.',
  },
  {
    name: 'Batches',
    description: 'Up to 50,000 verifications from one list, CSV or JSON, with faults by row and column.',
  },
  {
    name: 'Reviews',
    description:
      "People's decisions beside the verdict: a queue that two people never share a case of, and what was decided.",
  },
  { name: 'Statistics', description: 'Verifications, verdicts and reviews over time.' },
  { name: 'Management', description: "Your account's API keys, settings, brands and audit log." },
  { name: 'People', description: 'Who belongs to the account, in which role, and invitations.' },
  {
    name: 'Evidence',
    description:
      'Bundles that anyone can check offline, the transparency log behind them, and the keys that sign both.',
  },
  { name: 'Sign-in', description: 'How a person signs in: e-mail link, one-time code, passkey, identity provider.' },
  { name: 'Me', description: 'The signed-in person: account, sessions and passkeys.' },
  { name: 'Trial', description: 'A verification without an account: one photo, ten minutes, tight limits.' },
] as const;
export type Tag = (typeof TAGS)[number]['name'];
