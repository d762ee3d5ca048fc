// What src/expo.ts and src/integrity.ts use of Expo's modules, so that types are checked without 400 MB of native packages.
// test/expo.test.ts compiles the same files against the modules themselves.
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
    text(): Promise<string>;
    bytes(): Promise<Uint8Array<ArrayBuffer>>;
    write(content: string): void;
    move(destination: File | Directory, options?: { overwrite?: boolean }): Promise<void>;
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

declare module 'react-native' {
  export const Platform: { readonly OS: 'ios' | 'android' | 'macos' | 'windows' | 'web' };
  export const AppState: {
    addEventListener(type: 'change', listener: (state: string) => void): { remove(): void };
  };
}
