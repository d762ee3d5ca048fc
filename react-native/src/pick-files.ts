import { File } from 'expo-file-system';
import type { PhotoStep } from './capture.ts';

/** Opens the system's files. What the person chooses is a copy of the app's own. */
export async function pickFiles(step: PhotoStep, most: number): Promise<string[]> {
  const mimeTypes = step.type === 'upload' ? step.accept : ['image/*'];
  if (most > 1) {
    const { result } = await File.pickFileAsync({ mimeTypes, multipleFiles: true });
    return (result ?? []).map(({ uri }) => uri);
  }
  const { result } = await File.pickFileAsync({ mimeTypes });
  return result ? [result.uri] : [];
}
