import { CameraView, useCameraPermissions } from 'expo-camera';
import { type ComponentType, type Ref, useImperativeHandle, useRef } from 'react';
import { Platform } from 'react-native';
import type { Filming } from './film.ts';

export interface CameraHandle {
  /** Takes a photo. Resolves with the file's address. */
  take(): Promise<string>;
  /** Films from now on, for links that ask for moves after the photo. A camera without it sends photos without a film. */
  film?(): Filming;
}

export interface CameraProps {
  ref: Ref<CameraHandle>;
  /** For screen readers. */
  label: string;
  light: boolean;
  onReady: () => void;
  onFailure: () => void;
}

/** A camera of the screen. It fills its parent and never has a sibling. */
export interface Camera {
  View: ComponentType<CameraProps>;
  /** `granted` is undefined until it is known. `ask` shows the system's question, if the system still shows it. */
  usePermission(): { granted: boolean | undefined; ask: () => Promise<unknown>; reread: () => Promise<unknown> };
}

/** The camera by `expo-camera`. */
export const expoCamera: Camera = {
  usePermission() {
    const [permission, ask, reread] = useCameraPermissions();
    return { granted: permission?.granted, ask, reread };
  },
  View({ ref, label, light, onReady, onFailure }) {
    const view = useRef<CameraView>(null);
    useImperativeHandle(ref, () => ({
      async take() {
        // Android writes the camera's own JPEG this way. iOS encodes every photo again.
        const options = { quality: 1, exif: true, skipProcessing: Platform.OS === 'android' };
        const picture = await view.current?.takePictureAsync(options);
        if (!picture) throw new Error('The camera gave no picture.');
        return picture.uri;
      },
    }));
    return (
      <CameraView
        ref={view}
        style={{ flex: 1 }}
        facing="back"
        mode="picture"
        animateShutter={false}
        enableTorch={light}
        onCameraReady={onReady}
        onMountError={onFailure}
        accessible
        accessibilityLabel={label}
      />
    );
  },
};
