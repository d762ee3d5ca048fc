import { useEffect, useState } from 'preact/hooks';
import type { Camera, CameraState } from './camera.ts';

/** The camera's state, and the camera open as long as the component is shown and looked at. */
export function useCamera(camera: Camera): CameraState {
  const [state, setState] = useState(camera.state);
  useEffect(() => {
    setState(camera.state);
    return camera.subscribe(setState);
  }, [camera]);

  useEffect(() => {
    void camera.open();
    // A phone that was locked or a call that came in may have ended the stream: ask again when it is looked at again.
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
        // This browser does not tell about the camera's permission; the button does the same.
      });
    return () => {
      document.removeEventListener('visibilitychange', onVisible);
      permission?.removeEventListener('change', onChange);
    };
  }, [camera]);
  return state;
}
