// What the package asks of Expo's modules.

import { type CameraHandle, expoCamera, expoPhone } from '@firsthand/react-native';
import { act, render } from '@testing-library/react-native';
import { createRef } from 'react';
import { Platform } from 'react-native';

const mockAsked: object[] = [];
const mockProps: Record<string, unknown>[] = [];
const mockFiles: string[] = [];

jest.mock('expo-camera', () => {
  const { Component } = jest.requireActual('react');
  class CameraView extends Component {
    async takePictureAsync(options: object) {
      mockAsked.push(options);
      return { uri: 'file:///cache/1.jpg', width: -1, height: -1 };
    }
    render() {
      mockProps.push(this.props);
      return null;
    }
  }
  return { CameraView, useCameraPermissions: () => [null, async () => {}, async () => {}] };
});

jest.mock('expo-file-system', () => {
  class Entry {
    uri: string;
    exists = true;
    constructor(...parts: (string | Entry)[]) {
      this.uri = parts.map(part => (typeof part === 'string' ? part : part.uri)).join('/');
    }
    create() {}
    async move(to: Entry) {
      mockFiles.push(`move ${this.uri} ${to.uri}`);
    }
    async copy(to: Entry) {
      mockFiles.push(`copy ${this.uri} ${to.uri}`);
    }
  }
  return { Directory: Entry, File: Entry, Paths: { document: 'file:///documents' } };
});

test('the camera is asked for the file with its metadata, on Android as the camera wrote it', async () => {
  const handle = createRef<CameraHandle>();
  await render(<expoCamera.View ref={handle} label="Live" light={false} onReady={() => {}} onFailure={() => {}} />);
  await act(async () => expect(await handle.current?.take()).toBe('file:///cache/1.jpg'));
  expect(mockAsked).toEqual([{ quality: 1, exif: true, skipProcessing: Platform.OS === 'android' }]);
  expect(mockProps.at(-1)).toMatchObject({
    facing: 'back',
    mode: 'picture',
    animateShutter: false,
    accessibilityLabel: 'Live',
  });
});

test('the camera’s file is moved into the documents, also by a bare path, and a file of the person’s is copied', async () => {
  const { files } = expoPhone();
  await files.take('file:///cache/1.jpg', 'a/1.photo');
  await files.take('/cache/2.jpg', 'a/2.photo');
  await files.take('content://media/3', 'a/3.photo');
  const kept = 'file:///documents/firsthand-captures/a';
  expect(mockFiles).toEqual([
    `move file:///cache/1.jpg ${kept}/1.photo`,
    `move file:///cache/2.jpg ${kept}/2.photo`,
    `copy content://media/3 ${kept}/3.photo`,
  ]);
});
