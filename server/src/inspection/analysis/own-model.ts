import { isHosted, readManifest } from '@firsthand/forensics/ai/manifest.ts';
import { loadModel } from '@firsthand/forensics/ai/model.ts';
import { decode, encodeDisplay, NOT_IN_BROWSERS } from '@firsthand/forensics/files/decode.ts';
import { askHosted, type HostedScore } from './hosted-model.ts';

/** The operator's model, wherever it runs. */
export interface OwnModel {
  name: string;
  /** @throws ImageFault where the bytes are no picture; ModelFault where the model gives no score. */
  score(bytes: Uint8Array): Promise<HostedScore>;
}

/** Opens the model of a manifest for one picture after the other. @throws ModelFault */
export async function openOwnModel(manifestPath: string, token: string | null): Promise<OwnModel> {
  const manifest = await readManifest(manifestPath);
  if (!isHosted(manifest)) {
    const { name, sha256, score } = await loadModel(manifestPath);
    return { name, score: async bytes => ({ score: await score((await decode(bytes)).picture), sha256 }) };
  }
  return {
    name: manifest.name,
    async score(bytes) {
      const { info, picture } = await decode(bytes);
      const file = NOT_IN_BROWSERS.has(info.contentType)
        ? { bytes: await encodeDisplay(picture), contentType: 'image/jpeg' }
        : { bytes, contentType: info.contentType };
      return askHosted(manifest, token, file);
    },
  };
}
