import type { Language } from '@firsthand/contract/base/languages.ts';
import { bounded } from '../../platform/lib/text.ts';
import type { Letter } from './letter.ts';

/** What a message with a capture link says. */
export interface Asked {
  /** Who asks for the photos. */
  name: string;
  reminds: boolean;
  livemode: boolean;
  expiresAt: Date;
  url: string;
}

interface Words {
  asks: string;
  reminds: string;
  lead: string;
  until: string;
  take: string;
  /** Why the reader gets it. */
  why: string;
  /** For a text message. One letter outside {@link GSM} more than halves what fits into it. */
  text: string;
  textAgain: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    asks: '{name} asks you for photos',
    reminds: 'Reminder: {name} is waiting for your photos',
    lead: 'Open the link on your phone. The page shows you which photos to take.',
    until: 'Works until',
    take: 'Take the photos',
    why: 'You get this because {name} entered your address. If you do not know them, do nothing.',
    text: '{name} asks you for photos:',
    textAgain: 'Reminder: {name} is waiting for your photos:',
  },
  de: {
    asks: '{name} bittet Sie um Fotos',
    reminds: 'Erinnerung: {name} wartet auf Ihre Fotos',
    lead: 'Öffnen Sie den Link auf Ihrem Handy. Die Seite zeigt Ihnen, welche Fotos gebraucht werden.',
    until: 'Gültig bis',
    take: 'Fotos aufnehmen',
    why: 'Sie bekommen diese E-Mail, weil {name} Ihre Adresse eingegeben hat. Wenn Ihnen das nichts sagt, brauchen Sie nichts zu tun.',
    text: '{name} bittet Sie um Fotos:',
    textAgain: 'Erinnerung: {name} wartet auf Ihre Fotos:',
  },
  fr: {
    asks: '{name} vous demande des photos',
    reminds: 'Rappel : {name} attend vos photos',
    lead: 'Ouvrez le lien sur votre téléphone. La page vous montre quelles photos prendre.',
    until: 'Valable jusqu’au',
    take: 'Prendre les photos',
    why: 'Vous recevez ce message parce que {name} a saisi votre adresse. Si vous ne connaissez pas l’expéditeur, ne faites rien.',
    text: '{name} vous demande des photos :',
    textAgain: 'Rappel : {name} attend vos photos :',
  },
  es: {
    asks: '{name} le pide fotos',
    reminds: 'Recordatorio: {name} espera sus fotos',
    lead: 'Abra el enlace en su teléfono. La página le muestra qué fotos hacer.',
    until: 'Válido hasta',
    take: 'Hacer las fotos',
    why: 'Recibe este mensaje porque {name} introdujo su dirección. Si no sabe quién es, no haga nada.',
    text: '{name} le pide fotos:',
    textAgain: 'Recordatorio: {name} espera sus fotos:',
  },
  pt: {
    asks: '{name} pede fotos a você',
    reminds: 'Lembrete: {name} aguarda suas fotos',
    lead: 'Abra o link no celular. A página mostra quais fotos tirar.',
    until: 'Válido até',
    take: 'Tirar as fotos',
    why: 'Você recebeu esta mensagem porque {name} informou seu endereço. Se não souber quem é, não faça nada.',
    text: '{name} pede fotos suas:',
    textAgain: 'Lembrete: {name} aguarda suas fotos:',
  },
  it: {
    asks: '{name} ti chiede delle foto',
    reminds: 'Promemoria: {name} aspetta le tue foto',
    lead: 'Apri il link sul telefono. La pagina ti mostra quali foto scattare.',
    until: 'Valido fino al',
    take: 'Scatta le foto',
    why: 'Ricevi questo messaggio perché {name} ha inserito il tuo indirizzo. Se non sai chi sia, non devi fare nulla.',
    text: '{name} ti chiede delle foto:',
    textAgain: 'Promemoria: {name} aspetta le tue foto:',
  },
  pl: {
    asks: '{name} prosi o zdjęcia',
    reminds: 'Przypomnienie: {name} czeka na zdjęcia',
    lead: 'Otwórz link na telefonie. Strona pokaże, jakie zdjęcia zrobić.',
    until: 'Ważny do',
    take: 'Zrób zdjęcia',
    why: 'Otrzymujesz tę wiadomość, ponieważ nadawca ({name}) podał Twój adres. Jeśli go nie znasz, nie musisz nic robić.',
    // Polish text messages are written without diacritics.
    text: '{name} prosi o zdjecia:',
    textAgain: 'Przypomnienie: {name} czeka na zdjecia:',
  },
  tr: {
    asks: '{name} sizden fotoğraf istiyor',
    reminds: 'Hatırlatma: {name} fotoğraflarınızı bekliyor',
    lead: 'Bağlantıyı telefonunuzda açın. Sayfa hangi fotoğrafları çekeceğinizi gösterir.',
    until: 'Son zaman',
    take: 'Fotoğrafları çek',
    why: 'Bu iletiyi {name} adresinizi girdiği için alıyorsunuz. Göndereni tanımıyorsanız bir şey yapmanız gerekmez.',
    // Turkish text messages are often written so.
    text: '{name} sizden fotograf istiyor:',
    textAgain: 'Hatirlatma: {name} fotograflarinizi bekliyor:',
  },
  hi: {
    asks: '{name} आपसे फ़ोटो माँग रहे हैं',
    reminds: 'याद दिलाने के लिए: {name} आपकी फ़ोटो का इंतज़ार कर रहे हैं',
    lead: 'लिंक अपने फ़ोन पर खोलें। पेज बताएगा कि कौन-सी फ़ोटो लेनी हैं।',
    until: 'कब तक खुला है',
    take: 'फ़ोटो लें',
    why: 'यह संदेश आपको इसलिए मिला क्योंकि {name} ने आपका पता डाला। अगर आप उन्हें नहीं जानते, तो कुछ न करें।',
    text: '{name} आपसे फ़ोटो माँग रहे हैं:',
    textAgain: '{name} आपकी फ़ोटो का इंतज़ार कर रहे हैं:',
  },
  ar: {
    asks: '{name} تطلب منك صورًا',
    reminds: 'تذكير: {name} في انتظار صورك',
    lead: 'افتح الرابط على هاتفك. تعرض لك الصفحة الصور المطلوبة.',
    until: 'صالح حتى',
    take: 'التقط الصور',
    why: 'وصلتك هذه الرسالة لأن {name} أدخلت عنوانك. إذا كنت لا تعرف المرسل فلا تفعل شيئًا.',
    text: '{name} تطلب منك صورًا:',
    textAgain: 'تذكير: {name} في انتظار صورك:',
  },
};

const NAME_MAX = 80;

/** The e-mail with the link. Its name is cleaned, so that it cannot end a header or turn the direction of the text around. */
export function letterOf({ name, reminds, livemode, expiresAt, url }: Asked, language: Language): Letter {
  const words = WORDS[language];
  const say = (text: string) => text.replaceAll('{name}', () => bounded(name, NAME_MAX));
  const heading = say(reminds ? words.reminds : words.asks);
  return {
    language,
    subject: livemode ? heading : `[Test] ${heading}`,
    heading,
    lead: words.lead,
    facts: [[words.until, whenIn(language, expiresAt)]],
    link: { text: words.take, url },
    footer: say(words.why),
  };
}

/** In UTC, and it says so: where the reader is, is not known. */
const whenIn = (language: Language, at: Date): string =>
  new Intl.DateTimeFormat(language, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(at);

/** Letters of the GSM 7-bit alphabet (3GPP TS 23.038, 6.2.1) that take one place each. A text message holds 160 of them, or 70 of others. */
const GSM = /^[@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà]*$/;
export const isGsm = (text: string): boolean => GSM.test(text);
const SMS_MAX = 160;
const SHORTEST_NAME = 20;

/** The text message: who asks, and the link on its own line. The name is shortened so that one message holds all. */
export function textOf({ name, reminds, livemode, url }: Asked, language: Language): string {
  const words = WORDS[language];
  const text = (livemode ? '' : 'TEST: ') + (reminds ? words.textAgain : words.text);
  const rest = `${text.replace('{name}', '')}\n${url}`;
  const room = SMS_MAX - rest.length;
  const shown = isGsm(rest) ? inGsm(name, Math.max(room, SHORTEST_NAME)) : bounded(name, SHORTEST_NAME);
  return `${text.replace('{name}', () => shown)}\n${url}`;
}

const PLAIN: Readonly<Record<string, string>> = {
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
  '…': '...',
  ł: 'l',
  Ł: 'L',
  ı: 'i',
};

/** A name in the letters of {@link GSM} where each letter has one without its marks. */
function inGsm(name: string, max: number): string {
  const letters = [...bounded(name.normalize('NFC'), NAME_MAX)].flatMap(letter => {
    if (isGsm(letter)) return [letter];
    const plain = PLAIN[letter] ?? letter.normalize('NFD').replace(/\p{M}/gu, '');
    return isGsm(plain) ? [...plain] : [letter];
  });
  if (letters.length <= max) return letters.join('');
  return `${letters
    .slice(0, max - 3)
    .join('')
    .trimEnd()}...`;
}
