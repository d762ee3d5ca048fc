import {
  type CaptureEnd,
  expoPhone,
  FirsthandCapture,
  heldLinks,
  type Link,
  openCapture,
} from '@firsthand/react-native';
import { appIntegrity } from '@firsthand/react-native/integrity';
import Constants from 'expo-constants';
import { useEffect, useState } from 'react';
import { AppState, Button, ScrollView, StatusBar, Text, TextInput, useColorScheme, View } from 'react-native';
import { linkIn } from './link';

const { cloudProjectNumber } = Constants.expoConfig?.extra?.firsthand ?? {};

/** One for the whole app. */
const phone = expoPhone({ integrity: appIntegrity({ cloudProjectNumber }) });

/** Sends what an earlier run of the app left. While the phone is locked nothing can be read: the next return tries again. */
async function resume(): Promise<void> {
  for (const link of await heldLinks(phone)) {
    const capture = await openCapture(phone, link);
    await capture.send();
  }
}

/** One screen asks for a link, the other takes the photos. */
export function App() {
  const [link, setLink] = useState<Link>();
  const [said, setSaid] = useState('');
  useEffect(() => {
    const tryToResume = () => void resume().catch(() => {});
    tryToResume();
    const subscription = AppState.addEventListener('change', state => {
      if (state === 'active') tryToResume();
    });
    return () => subscription.remove();
  }, []);
  const onEnd = (end: CaptureEnd) => {
    setSaid(WORDS[end.outcome]);
    if (end.outcome === 'cancelled') setLink(undefined);
  };
  return (
    <View style={{ flex: 1, paddingTop: StatusBar.currentHeight ?? 60 }}>
      {link ? (
        <>
          <FirsthandCapture phone={phone} {...link} onEnd={onEnd} />
          {said !== '' && <Button title="Another link" onPress={() => setLink(undefined)} />}
        </>
      ) : (
        <Ask said={said} onLink={setLink} />
      )}
    </View>
  );
}

const WORDS = {
  done: 'The service has everything.',
  closed: 'That link takes nothing more.',
  cancelled: 'You left. The photos are still on this phone.',
};

function Ask({ said, onLink }: { said: string; onLink: (link: Link) => void }) {
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState(false);
  const ink = useColorScheme() === 'dark' ? '#eef2f5' : '#14202b';
  const open = () => {
    const link = linkIn(text);
    setWrong(link === undefined);
    if (link) onLink(link);
  };
  return (
    <ScrollView contentContainerStyle={{ padding: 20, gap: 16 }}>
      <Text accessibilityRole="header" style={{ color: ink, fontSize: 24 }}>
        Take photos for a link
      </Text>
      <TextInput
        accessibilityLabel="Capture link"
        autoCapitalize="none"
        autoCorrect={false}
        placeholder="https://photos.example/v/vfy_…"
        placeholderTextColor="#7b8794"
        value={text}
        onChangeText={setText}
        style={{ borderWidth: 1, borderColor: '#7b8794', color: ink, padding: 12, fontSize: 17 }}
      />
      {wrong && (
        <Text accessibilityRole="alert" style={{ color: ink }}>
          That is no capture link.
        </Text>
      )}
      <Button title="Open" onPress={open} />
      {said !== '' && <Text style={{ color: ink }}>{said}</Text>}
    </ScrollView>
  );
}
