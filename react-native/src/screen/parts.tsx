import { type ReactNode, useEffect, useRef, useState } from 'react';
import { AccessibilityInfo, Image, Platform, Pressable, ScrollView, Text, View } from 'react-native';
import { usePage } from './page.ts';

type Tone = 'ink' | 'soft' | 'fault';

/** A text in the screen's language, so that a screen reader pronounces it so. It grows with the system's text size. */
export function Say({ children, tone = 'ink', bold = false }: { children: ReactNode; tone?: Tone; bold?: boolean }) {
  const { theme, texts } = usePage();
  return (
    <Text
      accessibilityLanguage={texts.language}
      style={{
        color: theme[tone],
        fontSize: tone === 'soft' ? 15 : 17,
        fontWeight: bold ? '600' : '400',
        writingDirection: texts.direction,
      }}
    >
      {children}
    </Text>
  );
}

/** The screen's heading. A screen reader goes on from here when the screen shows another thing. */
export function Heading({ children }: { children: string }) {
  const { theme, texts } = usePage();
  const heading = useRef<Text>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new heading is announced
  useEffect(() => {
    if (heading.current) AccessibilityInfo.sendAccessibilityEvent(heading.current, 'focus');
  }, [children]);
  return (
    <Text
      ref={heading}
      accessibilityRole="header"
      accessibilityLanguage={texts.language}
      style={{ color: theme.ink, fontSize: 24, fontWeight: '700', writingDirection: texts.direction }}
    >
      {children}
    </Text>
  );
}

/** A text that is read out when it changes: by Android itself, on iOS by an announcement. */
export function Status({ children, tone = 'ink' }: { children: string | undefined; tone?: Tone }) {
  useEffect(() => {
    if (children && Platform.OS === 'ios') AccessibilityInfo.announceForAccessibility(children);
  }, [children]);
  return (
    <View
      accessibilityLiveRegion={tone === 'fault' ? 'assertive' : 'polite'}
      // Empty, it stays for the screen reader and takes no room.
      style={children ? null : { position: 'absolute' }}
      {...(tone === 'fault' ? { accessibilityRole: 'alert' as const } : {})}
    >
      {children ? <Say tone={tone}>{children}</Say> : null}
    </View>
  );
}

interface PressProps {
  children: string;
  onPress: () => void;
  quiet?: boolean;
  disabled?: boolean;
  /** For screen readers, where the words would not do without what stands around them. */
  label?: string;
  hint?: string | undefined;
}

export function Press({ children, onPress, quiet = false, disabled = false, label, hint }: PressProps) {
  const { theme, texts } = usePage();
  return (
    <Pressable
      accessibilityRole="button"
      accessibilityLanguage={texts.language}
      accessibilityLabel={label ?? children}
      accessibilityHint={hint}
      accessibilityState={{ disabled }}
      disabled={disabled}
      onPress={onPress}
      style={({ pressed }) => ({
        minHeight: 48,
        justifyContent: 'center',
        alignItems: 'center',
        paddingHorizontal: 16,
        paddingVertical: 10,
        borderRadius: 10,
        borderWidth: 1,
        borderColor: quiet ? theme.line : theme.accent,
        backgroundColor: quiet ? 'transparent' : theme.accent,
        opacity: disabled ? 0.5 : pressed ? 0.8 : 1,
      })}
    >
      <Text
        style={{ color: quiet ? theme.ink : theme.accentInk, fontSize: 17, fontWeight: '600', textAlign: 'center' }}
      >
        {children}
      </Text>
    </Pressable>
  );
}

/** A screen that scrolls, so that large text has room. */
export function Scroll({ children }: { children: ReactNode }) {
  return (
    <ScrollView keyboardShouldPersistTaps="handled" contentContainerStyle={{ padding: 20, gap: 16 }}>
      {children}
    </ScrollView>
  );
}

/** What a photo of the step should look like, as the account that asks shows it. Nothing once the account deleted the picture. */
export function Example({ url }: { url: string | undefined }) {
  const { capture, texts } = usePage();
  const [gone, setGone] = useState(false);
  if (url === undefined || gone) return null;
  const brand = capture.view?.brand;
  return (
    <View style={{ gap: 4 }}>
      <Image
        source={{ uri: url }}
        accessible
        accessibilityLabel={texts.t('example.alt')}
        onError={() => setGone(true)}
        resizeMode="contain"
        style={{ width: '100%', height: 160 }}
      />
      <Say tone="soft">{brand ? texts.t('example.from', { name: brand.name }) : texts.t('example.fromPlain')}</Say>
    </View>
  );
}
