import { useEffect, useState } from 'preact/hooks';
import type { Camera, CameraState } from './camera.ts';

/** Returns the camera's state. Keeps the camera open while the component is mounted and the page visible. */
export function useCamera(camera: Camera): CameraState {
  const [state, setState] = useState(camera.state);
  useEffect(() => {
    setState(camera.state);
    return camera.subscribe(setState);
  }, [camera]);

  useEffect(() => {
    void camera.open();
    // A phone lock or an incoming call may have ended the stream, so reopen it when the page becomes visible.
    const onVisible = () => {
      if (document.visibilityState === 'visible') void camera.open();
    };
    document.addEventListener('visibilitychange', onVisible);
    // Start by itself if the person allows the camera in the browser's settings.
    let permission: PermissionStatus | undefined;
    const onChange = () => {
      if (permission?.state !== 'denied') void camera.open();
    };
    navigator.permissions
      ?.query({ name: 'camera' as PermissionName })
      .then(status => {
        permission = status;
        status.addEventListener('change', onChange);
      })
      .catch(() => {
        // This browser does not report the camera permission. The button also retries.
      });
    return () => {
      document.removeEventListener('visibilitychange', onVisible);
      permission?.removeEventListener('change', onChange);
    };
  }, [camera]);
  return state;
}
