export interface Texts {
  /** Above the button that opens the camera page. */
  link: string;
  /** On that button: 20 characters at most. */
  button: string;
  /** To somebody who sends photos in the chat. */
  photoInChat: string;
  verified: string;
  waitsForPerson: string;
  accepted: string;
  rejected: string;
  expired: string;
  failed: string;
}

export const TEXTS: Readonly<Record<string, Texts>> = {
  en: {
    link: 'Please take the photos for your case now. It takes about two minutes. Tap the button to open the camera.',
    button: 'Take the photos',
    photoInChat:
      'Thank you. Photos sent in this chat cannot be used for your case. Please tap the button and take them there.',
    verified: 'Thank you, your photos are in and everything is fine. You need not do anything else.',
    waitsForPerson: 'Thank you, your photos are in. A member of our team will look at them and get back to you.',
    accepted: 'Our team has looked at your photos and accepted them. You need not do anything else.',
    rejected: 'Our team has looked at your photos and cannot use them for your case. We will contact you.',
    expired: 'The link for your photos is no longer valid. Write to us here to get a new one.',
    failed: 'One of your photos could not be opened. Write to us here to get a new link, and take the photos again.',
  },
  de: {
    link: 'Bitte machen Sie jetzt die Fotos für Ihren Fall. Das dauert etwa zwei Minuten. Tippen Sie auf den Knopf, um die Kamera zu öffnen.',
    button: 'Fotos machen',
    photoInChat:
      'Danke. Fotos aus diesem Chat können wir für Ihren Fall nicht verwenden. Bitte tippen Sie auf den Knopf und machen Sie die Fotos dort.',
    verified: 'Danke, Ihre Fotos sind da und alles ist in Ordnung. Sie müssen nichts weiter tun.',
    waitsForPerson: 'Danke, Ihre Fotos sind da. Jemand aus unserem Team sieht sie sich an und meldet sich bei Ihnen.',
    accepted: 'Unser Team hat Ihre Fotos angesehen und angenommen. Sie müssen nichts weiter tun.',
    rejected:
      'Unser Team hat Ihre Fotos angesehen und kann sie für Ihren Fall nicht verwenden. Wir melden uns bei Ihnen.',
    expired: 'Der Link für Ihre Fotos ist abgelaufen. Schreiben Sie uns hier, dann bekommen Sie einen neuen.',
    failed:
      'Eines Ihrer Fotos ließ sich nicht öffnen. Schreiben Sie uns hier, dann bekommen Sie einen neuen Link, und machen Sie die Fotos bitte noch einmal.',
  },
};
