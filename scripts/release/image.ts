// The image as one file that `docker load` and `podman load` take: the OCI layout that a builder wrote, with the list that Docker's
// older image store reads. `node scripts/release/image.ts FOLDER FILE`
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Checkout, NotReleasable, readCheckout } from './checkout.ts';
import { type Entry, tar } from './tar.ts';

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

/** The image in an OCI layout, the same bytes for the same layers. Throws {@link NotReleasable} where it is not of this checkout. */
export function imageArchive(layout: string, { version, commit, time }: Checkout): { name: string; bytes: Buffer } {
  const entries: Entry[] = [{ path: 'oci-layout', content: Buffer.from('{"imageLayoutVersion":"1.0.0"}') }];
  const pathOf = ({ digest }: Descriptor) => `blobs/${digest.replace(':', '/')}`;
  const blob = (of: Descriptor) => {
    const content = readFileSync(join(layout, pathOf(of)));
    if (of.digest !== `sha256:${createHash('sha256').update(content).digest('hex')}`) {
      throw new NotReleasable(`${layout}: the bytes of ${of.digest} are others.`);
    }
    entries.push({ path: pathOf(of), content });
    return content;
  };
  const { manifests } = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as { manifests: Descriptor[] };
  const [first] = manifests;
  if (manifests.length !== 1 || first?.mediaType !== MANIFEST) {
    throw new NotReleasable(`${layout} holds more than one image. Build one for each processor, without provenance.`);
  }
  const { config, layers } = JSON.parse(blob(first).toString()) as { config: Descriptor; layers: Descriptor[] };
  const image = JSON.parse(blob(config).toString()) as {
    architecture: string;
    config: { Labels?: Record<string, string> };
  };
  const labels = image.config.Labels ?? {};
  const label = (name: string) => labels[`org.opencontainers.image.${name}`];
  if (label('version') !== version || label('revision') !== commit) {
    throw new NotReleasable(
      `${layout} is ${label('version')} of commit ${label('revision') || 'unknown'}, not ${version} of ${commit}.`,
    );
  }
  for (const layer of new Map(layers.map(layer => [layer.digest, layer])).values()) blob(layer);
  const tag = `firsthand:${version}`;
  const annotations = {
    'io.containerd.image.name': `docker.io/library/${tag}`,
    'org.opencontainers.image.ref.name': version,
  };
  const json = (path: string, value: unknown) => entries.push({ path, content: Buffer.from(JSON.stringify(value)) });
  json('index.json', { schemaVersion: 2, manifests: [{ ...first, annotations }] });
  json('manifest.json', [{ Config: pathOf(config), RepoTags: [tag], Layers: layers.map(pathOf) }]);
  return { name: `firsthand-image-${version}-linux-${image.architecture}.tar`, bytes: tar(entries, time) };
}

if (import.meta.main) {
  const [layout, file] = process.argv.slice(2);
  if (!layout || !file) throw new Error('usage: node scripts/release/image.ts FOLDER FILE');
  const root = join(import.meta.dirname, '../..');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  writeFileSync(file, imageArchive(layout, readCheckout(root, version, true)).bytes);
}
