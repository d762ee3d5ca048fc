// What src/ uses of React Native and Expo's modules, so that types are checked without 400 MB of native packages.
// test/package.test.ts compiles the same files against the modules themselves.
declare module 'expo-crypto' {
  export enum CryptoDigestAlgorithm {
    SHA256 = 'SHA-256',
  }
  export function digest(algorithm: CryptoDigestAlgorithm, data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>;
  export function randomUUID(): string;
}

declare module 'expo-file-system' {
  interface Entry {
    readonly uri: string;
    readonly exists: boolean;
    readonly name: string;
    delete(): void;
  }
  interface UploadOptions {
    httpMethod?: 'POST' | 'PUT' | 'PATCH';
    headers?: Record<string, string>;
    onProgress?: (data: { bytesSent: number; totalBytes: number }) => void;
    sessionType?: 'background' | 'foreground';
    signal?: AbortSignal;
  }
  export class Directory {
    constructor(...uris: (string | File | Directory)[]);
    create(options?: { intermediates?: boolean; idempotent?: boolean }): void;
    list(): (Directory | File)[];
  }
  export interface Directory extends Entry {}
  export class File {
    constructor(...uris: (string | File | Directory)[]);
    create(options?: { overwrite?: boolean }): void;
    static pickFileAsync(options: { mimeTypes?: string[]; multipleFiles: true }): Promise<{ result: File[] | null }>;
    static pickFileAsync(options: { mimeTypes?: string[] }): Promise<{ result: File | null }>;
    text(): Promise<string>;
    bytes(): Promise<Uint8Array<ArrayBuffer>>;
    write(content: string | Uint8Array): void;
    move(destination: File | Directory, options?: { overwrite?: boolean }): Promise<void>;
    copy(destination: File): Promise<void>;
    upload(url: string, options?: UploadOptions): Promise<{ status: number }>;
  }
  export interface File extends Entry {}
  export const Paths: { readonly document: Directory };
}

declare module 'expo-secure-store' {
  interface SecureStoreOptions {
    keychainAccessible?: number;
  }
  export const AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY: number;
  export function getItemAsync(key: string, options?: SecureStoreOptions): Promise<string | null>;
  export function setItemAsync(key: string, value: string, options?: SecureStoreOptions): Promise<void>;
  export function deleteItemAsync(key: string, options?: SecureStoreOptions): Promise<void>;
}

declare module '@expo/app-integrity' {
  export const isSupported: boolean;
  export function generateKeyAsync(): Promise<string>;
  export function attestKeyAsync(keyId: string, challenge: string): Promise<string>;
  export function generateAssertionAsync(keyId: string, challenge: string): Promise<string>;
  export function prepareIntegrityTokenProviderAsync(cloudProjectNumber: string): Promise<void>;
  export function requestIntegrityCheckAsync(requestHash: string): Promise<string>;
}

declare module 'expo-camera' {
  import type { Component } from 'react';

  interface CameraViewProps {
    style?: object;
    facing?: 'front' | 'back';
    mode?: 'picture' | 'video';
    animateShutter?: boolean;
    enableTorch?: boolean;
    onCameraReady?: () => void;
    onMountError?: () => void;
    accessible?: boolean;
    accessibilityLabel?: string;
  }
  export class CameraView extends Component<CameraViewProps> {
    takePictureAsync(options: { quality: number; exif: boolean; skipProcessing: boolean }): Promise<{ uri: string }>;
  }
  interface PermissionResponse {
    granted: boolean;
  }
  export function useCameraPermissions(): [
    permission: PermissionResponse | null,
    ask: () => Promise<PermissionResponse>,
    reread: () => Promise<PermissionResponse>,
  ];
}

declare module 'react-native' {
  import type { Component, ReactNode } from 'react';

  export type StyleProp<T> = T | false | null | undefined | readonly StyleProp<T>[];
  export interface ViewStyle {}
  interface Accessible {
    accessible?: boolean;
    accessibilityRole?: 'alert' | 'button' | 'header' | 'progressbar';
    accessibilityLabel?: string;
    accessibilityHint?: string | undefined;
    accessibilityLanguage?: string;
    accessibilityLiveRegion?: 'polite' | 'assertive';
    accessibilityState?: { disabled?: boolean };
    accessibilityValue?: { min: number; max: number; now: number };
  }
  interface Drawn extends Accessible {
    children?: ReactNode;
    style?: StyleProp<object>;
  }
  export class View extends Component<Drawn> {}
  export class Text extends Component<Drawn> {}
  export class ScrollView extends Component<
    Drawn & { contentContainerStyle?: object; keyboardShouldPersistTaps?: 'handled' }
  > {}
  export class Image extends Component<
    Accessible & { source: { uri: string }; style?: object; resizeMode?: 'contain'; onError?: () => void }
  > {
    static getSize(uri: string): Promise<{ width: number; height: number }>;
  }
  export class Pressable extends Component<
    Accessible & {
      children?: ReactNode;
      disabled?: boolean;
      onPress: () => void;
      style: (state: { pressed: boolean }) => object;
    }
  > {}
  export class TextInput extends Component<
    Accessible & {
      value: string;
      onChangeText: (value: string) => void;
      multiline?: boolean;
      keyboardType?: 'default' | 'number-pad';
      autoCapitalize?: 'sentences' | 'characters';
      autoCorrect?: boolean;
      autoComplete?: 'off';
      style?: object;
    }
  > {}
  interface Subscription {
    remove(): void;
  }
  export const AccessibilityInfo: {
    announceForAccessibility(words: string): void;
    sendAccessibilityEvent(target: Text, event: 'focus'): void;
  };
  export const AppState: { addEventListener(type: 'change', listener: (state: string) => void): Subscription };
  export const BackHandler: { addEventListener(type: 'hardwareBackPress', listener: () => boolean): Subscription };
  export const Linking: { openSettings(): Promise<void> };
  export const Platform: { readonly OS: 'ios' | 'android' | 'macos' | 'windows' | 'web' };
  export function useColorScheme(): 'light' | 'dark' | 'unspecified' | null | undefined;
  export function useWindowDimensions(): { width: number; height: number };
}
