import type { Language } from '@firsthand/contract/base/languages.ts';
import type { AppWordKey } from './word-keys.ts';

export const APP_WORDS: Record<Language, Record<AppWordKey, string>> = {
  en: {
    'app.blocked': 'This app may not use the camera. Allow the camera in the settings, then come back here.',
    'app.settings': 'Open the settings',
  },
  de: {
    'app.blocked':
      'Diese App darf die Kamera nicht benutzen. Erlauben Sie die Kamera in den Einstellungen und kommen Sie dann zurück.',
    'app.settings': 'Einstellungen öffnen',
  },
  fr: {
    'app.blocked':
      'Cette application n’a pas accès à l’appareil photo. Autorisez-le dans les réglages, puis revenez ici.',
    'app.settings': 'Ouvrir les réglages',
  },
  es: {
    'app.blocked': 'Esta aplicación no puede usar la cámara. Permita la cámara en los ajustes y vuelva aquí.',
    'app.settings': 'Abrir los ajustes',
  },
  pt: {
    'app.blocked': 'Este aplicativo não pode usar a câmera. Permita a câmera nas configurações e volte aqui.',
    'app.settings': 'Abrir as configurações',
  },
  it: {
    'app.blocked': 'Questa app non può usare la fotocamera. Consenti la fotocamera nelle impostazioni, poi torna qui.',
    'app.settings': 'Apri le impostazioni',
  },
  pl: {
    'app.blocked': 'Ta aplikacja nie ma dostępu do aparatu. Zezwól na użycie aparatu w ustawieniach i wróć tutaj.',
    'app.settings': 'Otwórz ustawienia',
  },
  tr: {
    'app.blocked': 'Bu uygulama kamerayı kullanamıyor. Ayarlardan kameraya izin verin, sonra buraya dönün.',
    'app.settings': 'Ayarları aç',
  },
  hi: {
    'app.blocked': 'यह ऐप कैमरा इस्तेमाल नहीं कर सकता। सेटिंग में कैमरे की अनुमति दें, फिर यहाँ लौटें।',
    'app.settings': 'सेटिंग खोलें',
  },
  ar: {
    'app.blocked': 'لا يمكن لهذا التطبيق استخدام الكاميرا. اسمح بالكاميرا من الإعدادات ثم عد إلى هنا.',
    'app.settings': 'فتح الإعدادات',
  },
};
